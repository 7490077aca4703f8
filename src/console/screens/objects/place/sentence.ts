import { t } from '../../../language/t.ts'
import { tally } from '../tree/roll.tsx'
import type { Counts } from '../tree/roll.tsx'

const NAMES_MAX = 3
type Below = {
  readonly counts: Counts | undefined
  readonly hasChildren: boolean
  /** The objects that make the state. */
  readonly reasons: readonly { readonly name: string }[]
}

/** The state of a group or a device as a colleague would say it. */
export function placeSentence({ counts, hasChildren, reasons }: Below): string {
  const { trouble, maint, nodata, ok, total } = tally(counts)
  if (total === 0) return t(hasChildren ? 'objects.say.noJobs' : 'objects.say.empty')
  if (trouble > 0) {
    const names = reasons.slice(0, NAMES_MAX).map(({ name }) => name)
    const said = t('objects.say.trouble', { count: trouble, total })
    if (names.length === 0) return `${said}.`
    const more = reasons.length - names.length
    const part = more > 0 ? t('objects.say.more', { names: names.join(', '), count: more }) : names.join(', ')
    // Only jobs in the worst state are reasons.
    const key = reasons.length < trouble ? 'objects.say.worst' : 'objects.say.because'
    return t(key, { said, names: part })
  }
  if (ok === total) return t('objects.say.well', { count: total })
  const parts = [
    t('objects.say.okOf', { ok, total }),
    maint > 0 && t('objects.say.maint', { count: maint }),
    nodata > 0 && t('objects.say.nodata', { count: nodata }),
  ]
  return `${parts.filter(Boolean).join(', ')}.`
}
