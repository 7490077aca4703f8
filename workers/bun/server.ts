import { startServer as startServerOn } from '../server/server.ts'
import type { Seams, Server } from '../server/server.ts'
import type { ServerSettings } from '../server/settings.ts'
import { BUN } from './runtime.ts'

/** Starts the service on Bun.
 * @throws {Error} when the data cannot be opened or the port is taken */
export function startServer(settings: ServerSettings, seams: Seams): Promise<Server> {
  return startServerOn(settings, BUN, seams)
}
