import { useState } from 'preact/hooks'

import { call, jsonOf, upload, urlOf } from '../../api/client.ts'
import { asFailure } from '../../api/failure.ts'
import type { Failure } from '../../api/failure.ts'
import { leave } from '../../api/session.ts'
import { objectsChanged } from '../objects/changed.ts'
import type { Restored } from './restored.ts'

export type Step =
  | { readonly at: 'choose' }
  | { readonly at: 'working'; readonly share: number; readonly isDryRun: boolean }
  | { readonly at: 'confirm'; readonly preview: Restored }
  /** Deleted objects are back. */
  | { readonly at: 'done'; readonly restored: Restored }

/** The backup: the id of one that the service keeps, or a file. */
export type Source = {
  readonly from: number | File
  readonly passphrase: string
  /** The deleted objects that come back; null for everything. */
  readonly objects: readonly number[] | null
  /** Whether objects may come back without values and states. */
  readonly withoutHistories: boolean
}

type Restoring = {
  readonly step: Step
  readonly failure: Failure | null
  /** Forgets the refusal, because the choice is another one now. */
  readonly forget: () => void
  /** Reads the backup and changes nothing. */
  readonly look: (source: Source) => Promise<void>
  readonly restore: (source: Source, preview: Restored) => Promise<void>
}

/** The steps of a restore. A refusal leads back to the step before. */
export function useRestore(): Restoring {
  const [step, setStep] = useState<Step>({ at: 'choose' })
  const [failure, setFailure] = useState<Failure | null>(null)
  const run = async (
    { from, passphrase, objects, withoutHistories }: Source,
    isDryRun: boolean,
    replace: boolean,
  ): Promise<Restored> => {
    setFailure(null)
    setStep({ at: 'working', share: typeof from === 'number' ? 1 : 0, isDryRun })
    if (typeof from === 'number') {
      const part = objects && { objects: [...objects], withoutHistories }
      const body = { passphrase, dryRun: isDryRun, replace, ...part }
      return call('post', '/backups/{id}/restore', { path: { id: from }, body })
    }
    const part = objects && { objects: objects.join(','), withoutHistories }
    const url = urlOf('/backups/restore', { query: { dryRun: isDryRun, replace, ...part } })
    const headers = {
      'content-type': 'application/gzip',
      'x-backup-passphrase': encodeURIComponent(passphrase),
    }
    const onSent = (share: number): void => setStep({ at: 'working', share, isDryRun })
    return (await jsonOf(await upload(url, from, { headers, onSent }))) as Restored
  }
  const orBack = async (work: () => Promise<void>, back: Step): Promise<void> => {
    try {
      await work()
    } catch (error) {
      setFailure(asFailure(error))
      setStep(back)
    }
  }
  return {
    step,
    failure,
    forget: () => setFailure(null),
    look: (source) =>
      orBack(async () => setStep({ at: 'confirm', preview: await run(source, true, false) }), {
        at: 'choose',
      }),
    restore: (source, preview) =>
      orBack(
        async () => {
          if (source.objects !== null) {
            setStep({ at: 'done', restored: await run(source, false, false) })
            objectsChanged()
            return
          }
          await run(source, false, preview.needsReplace)
          // The session is not in the backup: the next request would be refused.
          leave('restored')
        },
        { at: 'confirm', preview },
      ),
  }
}
