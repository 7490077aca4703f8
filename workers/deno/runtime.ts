import { storedConsole } from '../server/console-build.ts'
import type { ConsoleBuild } from '../server/console-build.ts'
import type { Runtime } from '../server/runtime.ts'
import { scryptInThreads } from './hashing.ts'
import { openListener } from './listener.ts'
import { openNetwork } from './network.ts'
import { openTables } from './tables.ts'

/** The parts of the host that are Deno's. */
export const DENO: Runtime = {
  openListener,
  openNetwork,
  openTables,
  scrypt: scryptInThreads,
  builtConsole,
  inFewSends: (handle) => handle,
  // A `Response` that is made with a list of fields sorts the list and has memory outside the heap, which a finalizer frees.
  appendsFields: true,
}

/** The console that Bun built. `npm run start:deno` builds it before the start.
 * @throws {Error} when no console is built */
async function builtConsole(): Promise<ConsoleBuild> {
  const build = await storedConsole()
  if (!build) throw new Error('The web console is not built. Run: sh workers/run.sh build-console')
  return build
}
