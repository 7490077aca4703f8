import type { RunnerKind } from '../../../src/automation/scripts/detection.ts'
import type { Engine } from './engine.ts'
import { python } from './python.ts'
import { shell } from './shell.ts'
import { talend } from './talend.ts'

export const ENGINES: Readonly<Record<RunnerKind, Engine>> = { python, shell, talend }

/** What this machine can run. */
export async function capabilities(): Promise<RunnerKind[]> {
  const kinds = Object.keys(ENGINES) as RunnerKind[]
  const isHere = await Promise.all(kinds.map((kind) => ENGINES[kind].isHere()))
  return kinds.filter((_, index) => isHere[index])
}
