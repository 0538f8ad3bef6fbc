import { once } from "node:events";
import { type AddressInfo, createServer, type Server } from "node:net";

/** Where to listen, and with whom. */
export interface ListenOptions {
  readonly host: string;
  /** 0 takes any that is free. */
  readonly port: number;
  /**
   * Whether other processes of this user that ask for the same may listen there too; the system
   * then gives each connection to one of them. Fails with ENOTSUP where the system cannot.
   */
  readonly isShared: boolean;
}

/** The loopback address of the other version of IP. */
const otherLoopback: { readonly [address: string]: string } = {
  "127.0.0.1": "::1",
  "::1": "127.0.0.1",
};

/** Ports tried where any will do: one may be free on one loopback address and not on the other. */
const freePortsTried = 10;

/**
 * Has the server listen and, where that is on one loopback address, the twin on the other one.
 * Resolves to the address that was asked for; rejects if one of them is taken, and then neither
 * listens.
 */
export async function listenOnLoopbacks(
  server: Server,
  twin: Server,
  options: ListenOptions,
): Promise<AddressInfo> {
  for (let tried = 1; ; tried += 1) {
    const address = await listenOn(server, options);
    const host = otherLoopback[address.address];
    if (host === undefined) return address;
    try {
      await listenOn(twin, { ...options, host, port: address.port });
      return address;
    } catch (error) {
      const { code = "" } = error as NodeJS.ErrnoException;
      // A machine without this version of IP has one loopback address.
      if (["EADDRNOTAVAIL", "EAFNOSUPPORT"].includes(code)) return address;
      await closed(server);
      if (options.port !== 0 || code !== "EADDRINUSE" || tried === freePortsTried) throw error;
    }
  }
}

/**
 * Has the server take the connections of a socket that listens already, by its descriptor. Resolves
 * to the address of the socket; rejects where it is none of TCP.
 */
export async function listenOnSocket(server: Server, fd: number): Promise<AddressInfo> {
  server.listen({ fd });
  await once(server, "listening");
  const address = server.address();
  if (address !== null && typeof address === "object") return address;
  await closed(server);
  throw Object.assign(new Error("not a socket of TCP"), { code: "EPROTOTYPE" });
}

/** A port that is kept for processes that will share it. */
export interface HeldPort {
  readonly address: AddressInfo;
  /** Leaves the port to those that listen there by now. */
  release(): Promise<void>;
  /** Lets others share it from now on, as the end of this process does. */
  free(): Promise<void>;
}

/**
 * Takes a port that nobody else has, and keeps it until those who are to share it listen there;
 * connections that come before are closed. Rejects if it is taken, also by processes that share
 * it or are to, and with ENOTSUP where the system lets nobody share ports.
 */
export async function holdPort(host: string, port: number): Promise<HeldPort> {
  const alone = await occupy({ host, port, isShared: false });
  const { address } = alone;
  const claim = await claimPort(address).finally(alone.release);
  try {
    const shared = { host: address.address, port: address.port, isShared: true };
    return { ...(await occupy(shared)), free: () => claim.release() };
  } catch (error) {
    await claim.release();
    throw error;
  }
}

/** Takes a port that nobody else has, and answers what gives it back. Rejects if it is taken. */
export async function takePort(
  options: Omit<ListenOptions, "isShared">,
  { isOnLoopbacks }: { readonly isOnLoopbacks: boolean },
): Promise<() => Promise<void>> {
  const alone = { ...options, isShared: false };
  if (isOnLoopbacks) return (await occupy(alone)).release;
  const server = createServer((socket) => socket.destroy());
  await listenOn(server, alone);
  return async () => void (await closed(server));
}

async function occupy(options: ListenOptions) {
  const servers = [1, 2].map(() => createServer((socket) => socket.destroy()));
  const [server, twin] = servers as [Server, Server];
  const address = await listenOnLoopbacks(server, twin, options);
  return { address, release: async () => void (await Promise.all(servers.map(closed))) };
}

/**
 * Keeps another start from sharing the port, also in a moment in which nobody listens there: what
 * is shared may be taken by any process of this user. Linux has names that only one process holds
 * and that end with it; where there are none, nothing is claimed.
 */
async function claimPort({ address, port }: AddressInfo) {
  if (process.platform !== "linux") return { release: async () => {} };
  const server = createServer((socket) => socket.destroy());
  server.listen(`\0iam ${address} ${port}`).unref();
  await once(server, "listening");
  return { release: async () => void (await closed(server)) };
}

async function listenOn(server: Server, { host, port, isShared }: ListenOptions) {
  server.listen({ host, port, reusePort: isShared });
  await once(server, "listening");
  return server.address() as AddressInfo;
}

function closed(server: Server): Promise<unknown> {
  return new Promise((resolve) => server.close(resolve));
}
