import { join } from 'node:path'

import { hasProgram, readyMade } from './engine.ts'
import type { Engine } from './engine.ts'

/** `run.sh`, by bash. */
export const shell: Engine = {
  isHere: () => Promise.resolve(hasProgram('bash')),
  prepare: ({ tree, script, arguments: given }) =>
    Promise.resolve(readyMade(['bash', join(tree, script.runnerFile), ...given])),
}
