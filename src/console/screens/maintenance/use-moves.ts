import { useMemo, useState } from 'preact/hooks'

import { background } from '../../kit/background.ts'
import { now } from '../../kit/time.tsx'
import { toast, undoable } from '../../kit/toasts.ts'
import { t } from '../../language/t.ts'
import { bodyOf, hasBegun, isLive, isOver, isSeries, moved } from './changes.ts'
import type { Scope } from './changes.ts'
import type { Draft, Grip, Moves } from './drag.ts'
import type { Entry, Occurrence } from './occurrences.ts'
import { change, move, reasonOf } from './save.ts'
import type { Undo } from './save.ts'
import { spanText, titleOf } from './texts.ts'

type Options = {
  readonly zone: string
  readonly occurrences: readonly Occurrence[]
  readonly onPlan: (begin: number, end: number) => void
  /** Opens the form of an entry that a drag cannot change. */
  readonly onEdit: (entry: Entry) => void
}

/** The occurrences with the occurrence that the user moves, and functions that save it. */
export function useMoves({ zone, occurrences, onPlan, onEdit }: Options) {
  const [draft, setDraft] = useState<Draft | null>(null)
  /** A draft of a series, while the page asks which of its times are meant. */
  const [asked, setAsked] = useState<Draft | null>(null)
  const shown = useMemo(() => withDraft(occurrences, draft), [occurrences, draft])
  const settle = (done: Draft): void => {
    const { occurrence, begin, end } = done
    if (occurrence === null) {
      setDraft(null)
      return onPlan(begin, end)
    }
    if (begin === occurrence.begin && end === occurrence.end) return setDraft(null)
    const { entry } = occurrence
    if (isSeries(entry) && moved(bodyOf(entry), occurrence, done, 'later')) return setAsked(done)
    setDraft(null)
    background(undoable(saveSingle(entry, done, { zone, onEdit })))
  }
  const saveSeries = async (scope: Scope): Promise<void> => {
    if (asked?.occurrence == null) return
    const { occurrence } = asked
    const body = moved(bodyOf(occurrence.entry), occurrence, asked, scope)
    if (body === null) return
    const undo = await change(occurrence.entry, body, Math.min(occurrence.begin, asked.begin))
    toastMoved(occurrence.entry, asked, { zone, undo })
  }
  const close = (): void => {
    setAsked(null)
    setDraft(null)
  }
  const moves: Moves = { draft, setDraft, settle, mayGrab }
  return { shown, moves, asked, saveSeries, close }
}

function withDraft(occurrences: readonly Occurrence[], draft: Draft | null): readonly Occurrence[] {
  if (draft?.occurrence == null) return occurrences
  const { occurrence, begin, end } = draft
  return [...occurrences.filter(({ key }) => key !== occurrence.key), { ...occurrence, begin, end }].toSorted(
    (a, b) => a.begin - b.begin,
  )
}

async function saveSingle(
  entry: Entry,
  draft: Draft,
  { zone, onEdit }: Pick<Options, 'zone' | 'onEdit'>,
): Promise<void> {
  const { occurrence } = draft
  const body = occurrence && moved(bodyOf(entry), occurrence, draft, 'later')
  if (!body) {
    toast({ text: t('maintenance.byForm'), isFailure: true })
    return onEdit(entry)
  }
  try {
    const undo = await (entry.active.length === 0 ? move(entry, body) : change(entry, body))
    toastMoved(entry, draft, { zone, undo })
  } catch (error) {
    toast({
      text: t('maintenance.notMoved', { name: titleOf(entry), reason: reasonOf(error) }),
      isFailure: true,
    })
  }
}

function toastMoved(
  entry: Entry,
  draft: Draft,
  { zone, undo }: { readonly zone: string; readonly undo: Undo },
): void {
  toast({ text: t('maintenance.moved', { name: titleOf(entry), time: spanText(draft, zone) }), undo })
}

/** Whether a drag can change an occurrence; a message tells why when it cannot. */
function mayGrab({ entry, begin }: Occurrence, grip: Grip): boolean {
  const refused = refusalOf(entry, begin, grip)
  if (refused !== undefined) toast({ text: refused, isFailure: true })
  return refused === undefined
}

function refusalOf(entry: Entry, begin: number, grip: Grip): string | undefined {
  if (!isLive(entry)) return undefined
  if (isOver(entry)) return t('maintenance.isOver', { name: titleOf(entry) })
  const isLived = begin <= now.value && hasBegun(entry, now.value)
  if (!isLived) return undefined
  if (isSeries(entry)) return t('maintenance.runsInSeries', { name: titleOf(entry) })
  return grip === 'end' ? undefined : t('maintenance.onlyEnd', { name: titleOf(entry) })
}
