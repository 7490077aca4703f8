import { hasProgram } from './engine.ts'
import type { Engine } from './engine.ts'
import { shell } from './shell.ts'

/** A job that Talend exported: `*_run.sh`, which goes to where it lies and starts Java with the jars of `lib`. */
export const talend: Engine = {
  isHere: () => Promise.resolve(hasProgram('bash') && hasProgram('java')),
  prepare: (preparation) => shell.prepare(preparation),
}
