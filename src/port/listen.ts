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

/** Ports tried where any will do: another program may take one between two looks at it. */
const freePortsTried = 10;

/**
 * Sockets of one process on one address. Node takes one connection of each in a turn of its event
 * loop, so a new client waits behind fewer of those that others open at the same time. Systems
 * other than Linux divide connections among them otherwise, or let nobody share ports.
 */
export const socketsPerAddress = process.platform === "linux" ? 8 : 1;

/** A port that is listened on. */
export interface Listening {
  /** The address that was asked for. */
  readonly address: AddressInfo;
  /** Lets others take the port, once the servers have stopped listening there. */
  free(): Promise<void>;
}

/**
 * Has the first half of the servers listen, each with a socket of its own, and, where that is on
 * one loopback address, the second half on the other one. Rejects if the port is taken on one of
 * them, and then none listens.
 */
export function listen(servers: readonly Server[], options: ListenOptions): Promise<Listening> {
  return tryPorts(options.port, async () => {
    if (options.isShared || servers.length === 2) {
      return { address: await listenOnLoopbacks(servers, options), free: async () => {} };
    }
    const { address, release, free } = await hold(options.host, options.port);
    try {
      const shared = { host: address.address, port: address.port, isShared: true };
      return { address: await listenOnLoopbacks(servers, shared), free };
    } catch (error) {
      await free();
      throw error;
    } finally {
      await release();
    }
  });
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
export function holdPort(host: string, port: number): Promise<HeldPort> {
  return tryPorts(port, () => hold(host, port));
}

async function hold(host: string, port: number): Promise<HeldPort> {
  const alone = await occupy({ host, port, isShared: false });
  const { address } = alone;
  const claim = await claimPort(address).finally(alone.release);
  try {
    const shared = { host: address.address, port: address.port, isShared: true };
    return { ...(await occupy(shared)), free: claim.release };
  } catch (error) {
    await claim.release();
    throw error;
  }
}

async function occupy(options: ListenOptions) {
  const servers = [1, 2].map(() => createServer((socket) => socket.destroy()));
  const address = await listenOnLoopbacks(servers, options);
  return { address, release: () => close(servers) };
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
  return { release: () => close([server]) };
}

/** Does it again where any port will do and the one that was found is taken. */
async function tryPorts<Result>(port: number, attempt: () => Promise<Result>): Promise<Result> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await attempt();
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (port !== 0 || code !== "EADDRINUSE" || tried === freePortsTried) throw error;
    }
  }
}

async function listenOnLoopbacks(servers: readonly Server[], options: ListenOptions) {
  const [here, there] = [servers.slice(0, servers.length / 2), servers.slice(servers.length / 2)];
  try {
    const address = await listenOn(here, options);
    const other = otherLoopback[address.address];
    if (other !== undefined) {
      const { port } = address;
      await listenOn(there, { ...options, host: other, port }).catch(unlessNoSuchAddress);
    }
    return address;
  } catch (error) {
    await close(servers);
    throw error;
  }
}

/** A machine without this version of IP has one loopback address. */
function unlessNoSuchAddress(error: NodeJS.ErrnoException): void {
  if (!["EADDRNOTAVAIL", "EAFNOSUPPORT"].includes(error.code ?? "")) throw error;
}

/** Where any port will do, all listen on the one that the first was given. */
async function listenOn(servers: readonly Server[], { host, port, isShared }: ListenOptions) {
  let found: AddressInfo = { address: host, family: "", port };
  for (const server of servers) {
    server.listen({ host: found.address, port: found.port, reusePort: isShared });
    await once(server, "listening");
    found = server.address() as AddressInfo;
  }
  return found;
}

async function close(servers: readonly Server[]): Promise<void> {
  await Promise.all(servers.map((server) => new Promise((done) => server.close(done))));
}
