import { describe, expect, test } from "@jest/globals";
import { ConfigError } from "../../src/config/config.ts";
import { handedSocket } from "../../src/start/handed-socket.ts";

describe("a socket", () => {
  test.each([
    ["that is handed to this process", { LISTEN_PID: "7", LISTEN_FDS: "1" }, 3],
    ["that is for another process", { LISTEN_PID: "8", LISTEN_FDS: "1" }, undefined],
    ["of which nobody says for whom it is", { LISTEN_FDS: "1" }, undefined],
    ["that is none", { LISTEN_PID: "7", LISTEN_FDS: "0" }, undefined],
    ["that nobody speaks of", {}, undefined],
  ])("%s", (_title, environment, descriptor) => {
    expect(handedSocket(environment, 7)).toBe(descriptor);
  });

  test.each(["2", "", "one"])("is refused where LISTEN_FDS is %j", (LISTEN_FDS) => {
    expect(() => handedSocket({ LISTEN_PID: "7", LISTEN_FDS }, 7)).toThrow(ConfigError);
  });
});
