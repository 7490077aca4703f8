import type { Script } from './script.ts'

/** The settings of a script while they are edited. */
export type ScriptDraft = {
  readonly name: string
  readonly description: string
  readonly groupId: string
  /** Seconds; empty for none. */
  readonly timeout: string
  readonly acceptedFiles: readonly string[]
}

export function scriptDraftOf({
  name,
  description,
  groupId,
  timeout,
  acceptedFiles,
}: Pick<Script, keyof ScriptDraft>): ScriptDraft {
  return {
    name,
    description,
    groupId: String(groupId),
    timeout: timeout === 0 ? '' : String(timeout),
    acceptedFiles,
  }
}

/** Changed fields of the draft as the API takes them. */
export function scriptPatchOf({
  groupId,
  timeout,
  ...same
}: Partial<ScriptDraft>): Readonly<Record<string, unknown>> {
  return {
    ...same,
    ...(groupId === undefined ? {} : { groupId: Number(groupId) }),
    ...(timeout === undefined ? {} : { timeout: Number(timeout) }),
  }
}

/** Why a draft cannot be saved: the key of the text; undefined when it can. */
export function scriptFaultOf({ name, timeout }: ScriptDraft): string | undefined {
  if (name.trim() === '') return 'scripts.needsName'
  return /^\d*$/.test(timeout.trim()) ? undefined : 'scripts.badTimeout'
}
