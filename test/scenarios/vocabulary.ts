import type { Word } from './parser.ts'
import { ACTIONS } from './words/actions.ts'
import { ALARMS } from './words/alarms.ts'
import { EXPECTATIONS } from './words/expectations.ts'
import { HISTORY } from './words/history.ts'
import { OBJECTS } from './words/objects.ts'
import { CONTAINERS } from './words/containers.ts'
import { DEPENDENCIES } from './words/dependencies.ts'
import { THE_PAST } from './words/past.ts'
import { REVALUATIONS } from './words/revaluations.ts'

/** Every sentence that a story may use; there are no others. */
export const VOCABULARY: readonly Word[] = [
  ...OBJECTS,
  ...ACTIONS,
  ...HISTORY,
  ...EXPECTATIONS,
  ...THE_PAST,
  ...REVALUATIONS,
  ...CONTAINERS,
  ...DEPENDENCIES,
  ...ALARMS,
]
