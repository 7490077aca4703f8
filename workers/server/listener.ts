import { lookup } from 'node:dns/promises'

import { EXIT, CommandFailure, userName } from './failures.ts'
import type { ServerSettings } from './settings.ts'

const PORTS_TRIED = 20

type Answer = (request: Request) => Response | Promise<Response>

/** The connections of requests. */
export type Peers = {
  /** The address of the sender of a request that is not answered yet; null when it is not known. */
  peerOf(request: Request): string | null
  /** The request may take as long as it needs. */
  keepOpen(request: Request): void
}

export type Listener = Peers & {
  readonly port: number
  /** Answers what has begun, for so long at most, but does not wait for idle connections, which may stay open as long as
   * clients like. */
  drain(maxMs: number): Promise<void>
}

/** Listens at an address of this machine. @throws {Error} with the `code` of the system */
export type OpenListener = (
  address: { readonly host: string; readonly port: number },
  answer: Answer,
) => Listener

/** Listens at the address of the settings. Without a port in the settings, the next free port is used.
 * @throws {CommandFailure} when the address or the port cannot be used */
export async function listen(
  settings: ServerSettings,
  answer: Answer,
  open: OpenListener,
): Promise<Listener> {
  const { host, port, anyPort } = settings
  await lookup(host).catch((error: unknown) => {
    throw addressFailure(
      `TIDEMARK_HOST: ${host} has no known address. Set an address of this machine, such as 127.0.0.1 or 0.0.0.0.`,
      error,
    )
  })
  for (let tried = 0; ; tried++) {
    try {
      return open({ host, port: port + tried }, answer)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'EADDRINUSE' && anyPort && tried < PORTS_TRIED) continue
      throw addressFailure(REASONS[String(code)]?.(host, port + tried) ?? String(error), error)
    }
  }
}

/** Where a listener is reached from this machine. */
export function urlOf(settings: ServerSettings, port: number | undefined): string {
  const { host, basePath } = settings
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}${basePath}`
}

const REASONS: Readonly<Record<string, (host: string, port: number) => string>> = {
  EADDRINUSE: (host, port) =>
    `Port ${port} of ${host} is in use (TIDEMARK_PORT). Stop the program that uses it (ss -ltnp shows it), or set another port.`,
  EADDRNOTAVAIL: (host) =>
    `TIDEMARK_HOST: ${host} is not an address of this machine. Set an address of this machine, such as 127.0.0.1 or 0.0.0.0.`,
  EACCES: (_, port) =>
    `${userName()} may not use port ${port} (TIDEMARK_PORT). Set a port above 1023, or grant CAP_NET_BIND_SERVICE.`,
}

function addressFailure(message: string, cause: unknown): CommandFailure {
  return new CommandFailure(EXIT.address, message, { cause })
}
