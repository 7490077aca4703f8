import { parseEnvironment } from '../../src/ports/environment.ts'
import { settingsOf, settingsSchema } from '../../src/ports/settings.ts'
import type { Ports } from '../../src/ports/index.ts'

/** For an application that is asked what it is, not to do anything: its routes and its document need the clock only. */
export const portless = {
  clock: { now: () => 0 },
  settings: settingsOf(parseEnvironment(settingsSchema, {})),
} as Partial<Ports> as Ports
