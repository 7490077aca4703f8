import { startServer as startServerOn } from '../server/server.ts'
import type { Seams, Server } from '../server/server.ts'
import type { ServerSettings } from '../server/settings.ts'
import { DENO } from './runtime.ts'

/** Starts the service on Deno.
 * @throws {Error} when the data cannot be opened or the port is taken */
export function startServer(settings: ServerSettings, seams: Seams): Promise<Server> {
  return startServerOn(settings, DENO, seams)
}
