import { parseEnvironment } from '../../src/ports/environment.ts'
import { settingsOf, settingsSchema } from '../../src/ports/settings.ts'
import type { Ports } from '../../src/ports/index.ts'

/** The ports of an application whose routes and document are read; these need the clock only. */
export const portless = {
  clock: { now: () => 0, monotonic: () => 0 },
  settings: settingsOf(parseEnvironment(settingsSchema, {})),
} as Partial<Ports> as Ports
