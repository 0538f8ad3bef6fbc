import { once } from "node:events";
import { describe, expect, test } from "@jest/globals";
import { readConfig } from "../../src/config/config.ts";
import { limitsFor, sharedConnectionAgeMs } from "../../src/config/limits.ts";
import { sendLimits } from "../../src/domain/sending.ts";
import { connected } from "../gateway/flight.ts";
import { inDirectory } from "../harness/process.ts";
import { start } from "../start/command.ts";

const of = (processes: number, cores: number, flags: readonly string[] = []) =>
  limitsFor(readConfig([`--processes=${processes}`, ...flags], {}), cores);

const mebibyte = 1024 * 1024;

describe("the limits of a process", () => {
  test.each([
    {
      ...{ processes: 1, connectionsMax: 10_000, bufferedBytesMax: 128 * mebibyte },
      ...{ watches: 1_000, watchesOfUser: 100, sent: 8, keptBytes: 16 * mebibyte },
      ...{
        waitingAppends: 10_000,
        threads: 4,
        hashes: 200,
        keys: 20,
        fetches: 16,
        waitingFetches: 64,
      },
      ...{ fetchesOfOne: 4, waitingOfOne: 16 },
    },
    {
      ...{ processes: 3, connectionsMax: 3_333, bufferedBytesMax: 44_739_242 },
      ...{ watches: 333, watchesOfUser: 33, sent: 2, keptBytes: 5_592_405 },
      ...{ waitingAppends: 3_333, threads: 1, hashes: 66, keys: 6, fetches: 5, waitingFetches: 21 },
      ...{ fetchesOfOne: 1, waitingOfOne: 5 },
    },
    {
      ...{ processes: 64, connectionsMax: 156, bufferedBytesMax: 2 * mebibyte },
      ...{ watches: 15, watchesOfUser: 1, sent: 1, keptBytes: mebibyte / 4 },
      ...{ waitingAppends: 156, threads: 1, hashes: 3, keys: 1, fetches: 1, waitingFetches: 1 },
      ...{ fetchesOfOne: 1, waitingOfOne: 1 },
    },
  ])("of $processes are a share of those of one, and never below 1", (row) => {
    const limits = of(row.processes, 4);
    expect({
      processes: row.processes,
      connectionsMax: limits.gateway.connectionsMax,
      bufferedBytesMax: limits.gateway.bufferedBytesMax,
      watches: limits.watches.watches,
      watchesOfUser: limits.watches.watchesOfUser,
      sent: limits.worker.concurrentMax,
      keptBytes: limits.objects.keptBytes,
      waitingAppends: limits.store.waitingAppends,
      threads: limits.passwords.concurrency,
      hashes: limits.passwords.waitingMax,
      keys: limits.keyPairs.waitingMax,
      fetches: limits.fetch.concurrentMax,
      waitingFetches: limits.fetch.waitingMax,
      fetchesOfOne: limits.fetch.shareMax,
      waitingOfOne: limits.fetch.shareWaitingMax,
    }).toEqual(row);
  });

  test("leave room for a body of the largest size, also where no token is asked for", () => {
    const { gateway } = of(64, 4, [`--body-bytes-max=${16 * mebibyte}`]);
    expect(gateway.bufferedBytesMax).toBe(32 * mebibyte);
  });

  test("leave room for an answer of the largest size", () => {
    const answers = [1, 3, 64].map((processes) => of(processes, 4).gateway.answersBytesMax);
    expect(answers).toEqual([40 * mebibyte, 32 * mebibyte, 32 * mebibyte]);
  });

  test("leave room for unread images, also to each address", () => {
    const unread = [1, 3, 64].map((processes) => of(processes, 4).gateway.unreadBytesMax);
    expect(unread).toEqual([64 * mebibyte, Math.floor((64 * mebibyte) / 3), 8 * mebibyte]);
  });

  test("share what watches hold, and what streams were sent last", () => {
    const [one, four, many] = [1, 4, 64].map((processes) => {
      const { watches, gateway } = of(processes, 4);
      const { allHeldBytes, largeEvents, largeEventsOfOrganization } = watches;
      const { streamAnswersBytesMax } = gateway;
      return [allHeldBytes, largeEvents, largeEventsOfOrganization, streamAnswersBytesMax];
    });
    expect(one).toEqual([16 * mebibyte, 32, 8, 8 * mebibyte]);
    expect(four).toEqual([4 * mebibyte, 8, 2, 2 * mebibyte]);
    expect(many).toEqual([mebibyte / 4, 1, 1, mebibyte]);
  });

  test("leave a thread for actions of others, and a place to wait", () => {
    const [one, three, many] = [1, 3, 64].map((processes) => of(processes, 4).sandbox);
    expect(one).toEqual({ threads: 4, waiting: 64, waitingOfOrganization: 16 });
    expect(three).toEqual({ threads: 3, waiting: 21, waitingOfOrganization: 5 });
    expect(many).toEqual({ threads: 3, waiting: 1, waitingOfOrganization: 1 });
  });

  test("share what strangers may have", () => {
    const { gateway } = of(4, 4);
    expect([gateway.connectionsOfAddressMax, gateway.openCallsOfAddressMax]).toEqual([125, 125]);
    expect([gateway.openCallsMax, gateway.openCallsOfConnectionMax]).toEqual([500, 50]);
    expect([gateway.openStreamsMax, gateway.openStreamsOfAddressMax]).toEqual([250, 25]);
  });

  test("divide what a caller and an address may do over time", () => {
    const given = [
      "--caller-rate=10",
      "--caller-burst=20",
      "--address-rate=3",
      "--address-burst=4",
    ];
    const { callerRate, callerBurst, addressRate, addressBurst } = of(8, 4, given).gateway;
    expect([callerRate, callerBurst, addressRate, addressBurst]).toEqual([1.25, 2, 0.375, 1]);
    expect(of(8, 4).gateway).toMatchObject({ callerRate: Infinity, addressRate: Infinity });
  });

  test("count messages for all of them together", () => {
    const { sends } = of(4, 4, ["--mails-per-organization=1000000"]);
    expect(sends).toEqual({ ...sendLimits, mailsPerOrganization: 1_000_000 });
  });

  test("end the connections of several after half an hour, and of one never", () => {
    expect(sharedConnectionAgeMs).toBe(1_800_000);
    expect(of(2, 4).gateway.connectionAgeMs).toBe(sharedConnectionAgeMs);
    expect(of(1, 4).gateway.connectionAgeMs).toBe(Number.POSITIVE_INFINITY);
  });

  test("leave half of a drain to balancers", () => {
    expect(of(2, 4, ["--drain-ms=3000"]).gateway).toMatchObject({
      ...{ drainMs: 3_000, drainQuietMs: 1_500 },
    });
  });

  test("are those that it keeps to", async () => {
    await inDirectory(async (directory) => {
      const running = await start([`--data-dir=${directory}`, "--port=0", "--processes=64"]);
      const port = Number(new URL(running.url).port);
      const sockets = await Promise.all(Array.from({ length: 156 }, () => connected(port)));
      const gone = Promise.race(sockets.map((socket) => once(socket, "close")));
      const oneMore = await connected(port);
      await gone;
      expect(oneMore.readyState).toBe("open");
      expect(sockets.filter(({ readyState }) => readyState === "open")).toHaveLength(155);
      for (const socket of [oneMore, ...sockets]) socket.destroy();
      await running.close();
    });
  });
});
