;; Dot products of one vector with many, four numbers at once. `node scripts/wasm.ts` makes resources/scan.wasm of it.
(module
  ;; The caller's memory holds everything.
  (import "scan" "memory" (memory 1))

  ;; $query: address of a vector. $rows: address of $count vectors, one after another. $length: numbers of a vector, a multiple of 16.
  ;; $products: address where the $count dot products are written. Numbers are 32-bit floats.
  (func (export "scan")
    (param $query i32) (param $rows i32) (param $count i32) (param $length i32) (param $products i32)
    (local $end i32) (local $at i32) (local $queryEnd i32)
    (local $a v128) (local $b v128) (local $c v128) (local $d v128)
    (local.set $end (i32.add (local.get $products) (i32.shl (local.get $count) (i32.const 2))))
    (local.set $queryEnd (i32.add (local.get $query) (i32.shl (local.get $length) (i32.const 2))))
    (block $done
      (loop $row
        (br_if $done (i32.ge_u (local.get $products) (local.get $end)))
        ;; Four independent sums, so that an addition does not wait for the one before it.
        (local.set $a (v128.const f32x4 0 0 0 0))
        (local.set $b (v128.const f32x4 0 0 0 0))
        (local.set $c (v128.const f32x4 0 0 0 0))
        (local.set $d (v128.const f32x4 0 0 0 0))
        (local.set $at (local.get $query))
        (loop $numbers
          (local.set $a (f32x4.add (local.get $a)
            (f32x4.mul (v128.load (local.get $at)) (v128.load (local.get $rows)))))
          (local.set $b (f32x4.add (local.get $b)
            (f32x4.mul (v128.load offset=16 (local.get $at)) (v128.load offset=16 (local.get $rows)))))
          (local.set $c (f32x4.add (local.get $c)
            (f32x4.mul (v128.load offset=32 (local.get $at)) (v128.load offset=32 (local.get $rows)))))
          (local.set $d (f32x4.add (local.get $d)
            (f32x4.mul (v128.load offset=48 (local.get $at)) (v128.load offset=48 (local.get $rows)))))
          (local.set $rows (i32.add (local.get $rows) (i32.const 64)))
          (local.set $at (i32.add (local.get $at) (i32.const 64)))
          (br_if $numbers (i32.lt_u (local.get $at) (local.get $queryEnd))))
        (local.set $a (f32x4.add
          (f32x4.add (local.get $a) (local.get $b))
          (f32x4.add (local.get $c) (local.get $d))))
        (f32.store (local.get $products)
          (f32.add
            (f32.add (f32x4.extract_lane 0 (local.get $a)) (f32x4.extract_lane 1 (local.get $a)))
            (f32.add (f32x4.extract_lane 2 (local.get $a)) (f32x4.extract_lane 3 (local.get $a)))))
        (local.set $products (i32.add (local.get $products) (i32.const 4)))
        (br $row)))))
