import { type Config, ConfigError, labelOf } from "./config.ts";
import { settings } from "./settings.ts";

/**
 * The URL by which people and applications know the service that has the configuration, without a
 * slash at the end. Throws a ConfigError where only a service that listens knows it.
 */
export function publicUrlOf({ publicUrl, host, port, tlsCert }: Config): string {
  if (publicUrl !== "") return publicUrl;
  if (port === 0) {
    const [known, taken] = [labelOf(settings.publicUrl), labelOf(settings.port)];
    throw new ConfigError(`Set ${known}, or ${taken} to where the service listens.`);
  }
  return publicUrlAt(host, port, tlsCert);
}

/** The same for an address and port, where none is configured. */
export function publicUrlAt(address: string, port: number, tlsCert: string): string {
  // Passkeys belong to a host name, and the port answers on both loopback addresses.
  const isLoopback = address === "127.0.0.1" || address === "::1";
  const written = address.includes(":") ? `[${address}]` : address;
  const host = isLoopback ? "localhost" : written;
  return `${tlsCert === "" ? "http" : "https"}://${host}:${port}`;
}
