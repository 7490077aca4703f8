export type Mode = 'skip' | 'overwrite' | 'copy'

export type Action = 'create' | 'update' | 'unchanged' | 'skip' | 'copy'

type Local = { readonly number: number; readonly isSame: boolean }

type Decision = {
  readonly action: Action
  /** Whether the dashboard was changed here since this version. */
  readonly localChanges: boolean
  /** Whether an older version replaces a newer one. */
  readonly isDowngrade: boolean
}

/** Decides what an import does with a dashboard, by its own version number. A higher one replaces; an equal one with other
 * contents and a lower one need `overwrite`.
 * @param local the dashboard that is here; null for no dashboard */
export function decide(mode: Mode, number: number, local: Local | null): Decision {
  if (!local) return { action: 'create', localChanges: false, isDowngrade: false }
  const localChanges = number === local.number && !local.isSame
  if (mode === 'copy') return { action: 'copy', localChanges, isDowngrade: false }
  if (local.isSame) return { action: 'unchanged', localChanges, isDowngrade: false }
  const isOlder = number <= local.number
  if (isOlder && mode === 'skip') return { action: 'skip', localChanges, isDowngrade: false }
  return { action: 'update', localChanges, isDowngrade: number < local.number }
}

/** Whether a release is newer than another one. */
export function isNewer(release: string, than: string): boolean {
  const [some, others] = [release, than].map((text) => text.split(/[.+-]/).slice(0, 3).map(Number))
  for (const [index, part] of (some ?? []).entries()) {
    const other = others?.[index] ?? 0
    if (Number.isNaN(part) || Number.isNaN(other)) return false
    if (part !== other) return part > other
  }
  return false
}
