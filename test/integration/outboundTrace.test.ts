import { describe, expect, it } from 'vitest';
import { readTrace } from '../support/outbound/trace.ts';

const NOTHING = { outside: [], lookUps: [], unused: [], loopback: 0 };

describe('a trace of the network', () => {
  it.each([
    [
      'a connection to another computer',
      '17 connect(3<TCP:[5]>, {sa_family=AF_INET, sin_port=htons(443), sin_addr=inet_addr("10.9.9.1")}, 16 <unfinished ...>',
      { outside: ['10.9.9.1:443'] },
    ],
    [
      'a connection over IPv6 that failed',
      '17 connect(3<TCPv6:[5]>, {sa_family=AF_INET6, sin6_port=htons(80), sin6_flowinfo=htonl(0), inet_pton(AF_INET6, "2001:db8::1", &sin6_addr), sin6_scope_id=0}, 28) = -1 ENETUNREACH (Network is unreachable)',
      { outside: ['2001:db8::1:80'] },
    ],
    [
      'a datagram to an address',
      '17 sendto(4<UDP:[7]>, "hi", 2, 0, {sa_family=AF_INET, sin_port=htons(5353), sin_addr=inet_addr("224.0.0.251")}, 16) = 2',
      { outside: ['224.0.0.251:5353'] },
    ],
    [
      'a datagram on a connected socket',
      '17 sendmsg(4<UDP:[10.9.9.1:4000->203.0.113.7:3478]>, {msg_name=NULL, msg_namelen=0}, 0) = 2',
      { outside: ['203.0.113.7:3478'] },
    ],
    [
      'a question to a resolver on this computer',
      '17 connect(4<UDP:[7]>, {sa_family=AF_INET, sin_port=htons(53), sin_addr=inet_addr("127.0.0.53")}, 16) = 0',
      { lookUps: ['127.0.0.53:53'] },
    ],
    [
      'a question to the resolver of systemd',
      '17 connect(4<UNIX-STREAM:[7]>, {sa_family=AF_UNIX, sun_path="/run/systemd/resolve/io.systemd.Resolve"}, 42) = 0',
      { lookUps: ['/run/systemd/resolve/io.systemd.Resolve'] },
    ],
    [
      'a question to the cache of names of users',
      '17 connect(4<UNIX-STREAM:[7]>, {sa_family=AF_UNIX, sun_path="/var/run/nscd/socket"}, 110) = -1 ENOENT (No such file or directory)',
      {},
    ],
    [
      'a datagram socket that is given an address and sends nothing',
      '17 connect(4<UDPv6:[7]>, {sa_family=AF_INET6, sin6_port=htons(443), sin6_flowinfo=htonl(0), inet_pton(AF_INET6, "2001:4860:4860::8888", &sin6_addr), sin6_scope_id=0}, 28) = 0',
      { unused: ['2001:4860:4860::8888:443'] },
    ],
    [
      'a connection to this computer',
      '17 connect(4<TCP:[7]>, {sa_family=AF_INET, sin_port=htons(8123), sin_addr=inet_addr("127.0.0.1")}, 16) = -1 EINPROGRESS (Operation now in progress)',
      { loopback: 1 },
    ],
    [
      'words of the display server',
      '17 sendmsg(6<UNIX-STREAM:[9->8]>, {msg_name=NULL, msg_namelen=0}, 0) = 8',
      {},
    ],
    [
      'the system told of its networks',
      '17 sendto(6<NETLINK:[ROUTE:17]>, [{nlmsg_len=20}], 20, 0, NULL, 0) = 20',
      {},
    ],
    ['the end of a call', '17 <... connect resumed>) = 0', {}],
  ])('counts %s for what it is', (_what, line, use) => {
    expect(readTrace([line])).toEqual({ ...NOTHING, ...use });
  });
});
