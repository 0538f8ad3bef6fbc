import type { Socket } from "node:net";
import type { PortLimits } from "./limits.ts";
import type { Peers } from "./peer.ts";

/** The connections of the port: how many there are, of whom, and which of them wait for nothing. */
export interface Crowd {
  /**
   * Takes a new connection in. Where there are too many, of its address or in all, the one goes
   * that has been idle the longest; answers false where none is idle, and the new one must go.
   */
  admit(socket: Socket): boolean;
  /** Marks a connection as busy with one more call, until what this answers is called, once. */
  begin(socket: Socket): () => void;
  /** Destroys all connections. */
  cutOff(): void;
}

interface Member {
  readonly socket: Socket;
  readonly group: Group;
  /** Calls under way. */
  calls: number;
}

/** The connections of one address, or of all that have no share of their own. */
interface Group {
  readonly connectionsMax: number;
  readonly members: Set<Member>;
  /** The one that has been idle the longest comes first. */
  readonly idle: Set<Member>;
}

export function createCrowd(
  limits: Pick<PortLimits, "connectionsMax" | "connectionsOfAddressMax">,
  peers: Peers,
): Crowd {
  const all = createGroup(limits.connectionsMax);
  const unshared = createGroup(Number.POSITIVE_INFINITY);
  const groups = new Map<string, Group>();
  // TLS has a socket of its own on the one that was accepted; the addresses of both are the same.
  const byEnds = new Map<string, Member>();
  const bySocket = new WeakMap<Socket, Member>();

  function memberOf(socket: Socket): Member | undefined {
    const member = bySocket.get(socket) ?? byEnds.get(endsOf(socket));
    if (member !== undefined) bySocket.set(socket, member);
    return member;
  }

  function setIdle(member: Member, isIdle: boolean): void {
    for (const { idle } of [all, member.group]) {
      if (isIdle) idle.add(member);
      else idle.delete(member);
    }
  }

  function join(socket: Socket, address: string | undefined): void {
    const group = address === undefined ? unshared : groups.get(address);
    const joined = group ?? createGroup(limits.connectionsOfAddressMax);
    if (address !== undefined) groups.set(address, joined);
    const member = { socket, group: joined, calls: 0 };
    const ends = endsOf(socket);
    byEnds.set(ends, member);
    bySocket.set(socket, member);
    for (const { members } of [all, joined]) members.add(member);
    setIdle(member, true);
    socket.once("close", () => {
      if (byEnds.get(ends) === member) byEnds.delete(ends);
      leave(member);
      const isLast = address !== undefined && joined.members.size === 0;
      if (isLast && groups.get(address) === joined) groups.delete(address);
    });
  }

  function leave(member: Member): void {
    for (const { members } of [all, member.group]) members.delete(member);
    setIdle(member, false);
  }

  return {
    admit(socket) {
      const address = peers.addressOf(socket.remoteAddress);
      const own = address === undefined ? unshared : groups.get(address);
      for (const group of own === undefined ? [all] : [own, all]) {
        if (group.members.size < group.connectionsMax) continue;
        const [oldest] = group.idle;
        if (oldest === undefined) return false;
        // It is out at once, and closes in a moment.
        leave(oldest);
        oldest.socket.destroy();
      }
      join(socket, address);
      return true;
    },
    begin(socket) {
      const member = memberOf(socket);
      if (member === undefined) return () => {};
      member.calls += 1;
      if (member.calls === 1) setIdle(member, false);
      return () => {
        member.calls -= 1;
        if (member.calls === 0 && all.members.has(member)) setIdle(member, true);
      };
    },
    cutOff: () => {
      for (const { socket } of all.members) socket.destroy();
    },
  };
}

function createGroup(connectionsMax: number): Group {
  return { connectionsMax, members: new Set(), idle: new Set() };
}

/** What no other open connection of the port has. */
function endsOf({ remoteAddress, remotePort, localAddress }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress}`;
}
