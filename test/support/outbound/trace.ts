/** What a trace of a tree of processes shows of its use of the network. */
export interface NetworkUse {
  /** Connections and datagrams to other computers, as `address:port`. */
  outside: string[];
  /** Questions for the address of a name, to whatever resolver, as `address:port` or the path of a socket. */
  lookUps: string[];
  /**
   * Datagram sockets that were given an address outside and sent nothing: the system only chooses a route, and no packet leaves.
   * Chromium asks it in this way whether there is IPv6.
   */
  unused: string[];
  /** Connections to this computer: a trace without any has seen nothing. */
  loopback: number;
}

const DNS_PORT = '53';
const IPV4 = /sin_port=htons\((\d+)\), sin_addr=inet_addr\("([^"]+)"\)/;
const IPV6 = /sin6_port=htons\((\d+)\).*?inet_pton\(AF_INET6, "([^"]+)"/;
/** The other end of a socket that was connected before, as `strace -yy` shows it. */
const CONNECTED = /^\d+<(?:TCP|UDP|UDPLITE|RAW|PING)(?:v6)?:\[.*?->\[?([\da-fA-F.:]+?)\]?:(\d+)\]>/;
/** nscd is not among them: programs ask it for names of users too, and where it is away they ask these or port 53. */
const RESOLVER_SOCKET = /sun_path="([^"]*(?:systemd\/resolve|avahi-daemon|mdns)[^"]*)"/;

/** Reads lines of `strace -f -yy -e trace=connect,sendto,sendmsg,sendmmsg`. */
export function readTrace(lines: Iterable<string>): NetworkUse {
  const use: NetworkUse = { outside: [], lookUps: [], unused: [], loopback: 0 };
  for (const line of lines) {
    const [, call, rest] = /^\d+ +(connect|sendto|sendmsg|sendmmsg)\((.*)$/.exec(line) ?? [];
    if (call === undefined || rest === undefined) continue;
    const socket = RESOLVER_SOCKET.exec(rest)?.[1];
    if (socket !== undefined) use.lookUps.push(socket);
    const [port, address] = target(rest);
    if (port === undefined || address === undefined) continue;
    const isUnused = call === 'connect' && /^\d+<(UDP|PING|RAW)/.test(rest);
    const place = `${address}:${port}`;
    if (port === DNS_PORT) use.lookUps.push(place);
    else if (isThisComputer(address)) use.loopback += 1;
    else (isUnused ? use.unused : use.outside).push(place);
  }
  return use;
}

/** Port and address that a call names, or else those of its connected socket. */
function target(rest: string): [port: string | undefined, address: string | undefined] | [] {
  const named = IPV4.exec(rest) ?? IPV6.exec(rest);
  if (named) return [named[1], named[2]];
  const connected = CONNECTED.exec(rest);
  return connected ? [connected[2], connected[1]] : [];
}

/** An unspecified address, too, is this computer where one connects to it. */
function isThisComputer(address: string): boolean {
  return /^(127\.|::ffff:127\.|0\.0\.0\.0$)/.test(address) || address === '::1' || address === '::';
}
