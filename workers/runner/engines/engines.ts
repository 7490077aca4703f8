import type { RunKind } from '../../../src/automation/runs/protocol.ts'
import type { Engine } from './engine.ts'
import { forecast } from './forecast.ts'
import { python } from './python.ts'
import { shell } from './shell.ts'
import { talend } from './talend.ts'

export const ENGINES: Readonly<Record<RunKind, Engine>> = { python, shell, talend, forecast }

/** The engines of this machine. */
export async function capabilities(): Promise<RunKind[]> {
  const kinds = Object.keys(ENGINES) as RunKind[]
  const isHere = await Promise.all(kinds.map((kind) => ENGINES[kind].isHere()))
  return kinds.filter((_, index) => isHere[index])
}
