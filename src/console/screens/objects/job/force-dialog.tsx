import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

import { call } from '../../../api/client.ts'
import { invalidate } from '../../../api/resource.ts'
import { SelectField } from '../../../kit/controls.tsx'
import { FormDialog } from '../../../kit/overlays.tsx'
import { toast } from '../../../kit/toasts.ts'
import { t } from '../../../language/t.ts'
import type { Job } from './job.ts'

const STATES = ['major', 'minor', 'warning', 'ok', 'no_data', 'undefined'] as const
type State = (typeof STATES)[number]

/** Fixes the state of a job, regardless of its deliveries. */
export function ForceDialog({
  job,
  onClose,
}: {
  readonly job: Job
  readonly onClose: () => void
}): JSX.Element {
  const [state, setState] = useState<State>('major')
  return (
    <FormDialog
      title={t('job.forceName', { name: job.name })}
      submit={t('job.force')}
      onSubmit={() => force(job, state)}
      onClose={onClose}
    >
      {(failure) => (
        <>
          <SelectField
            label={t('job.forceState')}
            value={state}
            onValue={setState}
            options={STATES.map((value) => ({ value, text: t(`state.${value}`) }))}
            error={failure?.at('/currentState')}
          />
          <p class="quiet">{t('job.forceText')}</p>
        </>
      )}
    </FormDialog>
  )
}

async function force(job: Job, state: State): Promise<void> {
  await change(job, { stateForced: true, currentState: state })
  toast({
    text: t('job.forced', { name: job.name, state: t(`state.${state}`) }),
    undo: () => release(job),
  })
}

/** Lets the deliveries decide the state again. @throws {Failure} */
export async function release(job: Job): Promise<void> {
  await change(job, { stateForced: false })
  toast({ text: t('job.released', { name: job.name }) })
}

async function change({ id }: Job, body: Record<string, unknown>): Promise<void> {
  await call('patch', '/jobs/{id}', { path: { id }, body })
  invalidate(`/jobs/${id}`, '/root/tree/', '/groups/', '/devices/', '/alarms')
}
