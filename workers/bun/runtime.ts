import type { Runtime } from '../server/runtime.ts'
import { builtConsole } from './build-console.ts'
import { scryptInThreads } from './hashing.ts'
import { openListener } from './listener.ts'
import { openNetwork } from './network.ts'
import { inFewSends, textBody } from './sends.ts'
import { openTables } from './tables.ts'

/** The parts of the host that are Bun's. */
export const BUN: Runtime = {
  openListener,
  openNetwork,
  openTables,
  scrypt: scryptInThreads,
  builtConsole,
  inFewSends,
  textBody,
}
