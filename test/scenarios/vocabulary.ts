import type { Word } from './parser.ts'
import { ACTIONS } from './words/actions.ts'
import { EXPECTATIONS } from './words/expectations.ts'
import { OBJECTS } from './words/objects.ts'
import { THE_PAST } from './words/past.ts'

/** Every sentence that a story may use; there are no others. */
export const VOCABULARY: readonly Word[] = [...OBJECTS, ...ACTIONS, ...EXPECTATIONS, ...THE_PAST]
