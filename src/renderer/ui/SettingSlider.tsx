import { Slider } from '@mantine/core';
import { useState } from 'react';

interface SliderProps {
  label: string;
  value: number;
  /** Lowest, highest, step. */
  range: [number, number, number];
  format: (value: number) => string;
  onChange: (value: number) => void;
}

/** A slider with its value beside it. The value is saved when the slider is released. */
export function SettingSlider({ label, value, range: [min, max, step], format, onChange }: SliderProps) {
  const [moving, setMoving] = useState<number | null>(null);
  return (
    <div className="setting-name">
      <Slider
        flex={1}
        label={null}
        thumbLabel={label}
        min={min}
        max={max}
        step={step}
        value={moving ?? value}
        onChange={setMoving}
        onChangeEnd={(end) => {
          setMoving(null);
          onChange(end);
        }}
      />
      <span className="number slider-value">{format(moving ?? value)}</span>
    </div>
  );
}
