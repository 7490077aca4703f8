import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

import { call } from '../../api/client.ts'
import { invalidate, useGet } from '../../api/resource.ts'
import { EditForm, patchedBy, useEditing } from '../../kit/editing.tsx'
import { Note, Show } from '../../kit/feedback.tsx'
import { FormDialog } from '../../kit/overlays.tsx'
import { timeZone } from '../../kit/time.tsx'
import { changedFields } from '../../kit/versions.ts'
import type { Version } from '../../kit/versions.ts'
import { t } from '../../language/t.ts'
import { OPERATORS, refusedUnless } from './rights.ts'
import { draftOf, ScheduleFields } from './schedule-fields.tsx'
import type { Draft } from './schedule-fields.tsx'
import type { Schedule } from './script.ts'

const ROUTE = '/scripts/{script}/scheduleConfigurations/{id}'

/** Creates a schedule. */
export function NewSchedule({
  script,
  onClose,
}: {
  readonly script: string
  readonly onClose: () => void
}): JSX.Element {
  const [draft, setDraft] = useState<Draft>({
    name: '',
    enabled: true,
    cron: '30 2 * * *',
    timeZone: timeZone.value,
    misfire: 'skip',
    runConfigurationId: null,
  })
  const create = async (): Promise<void> => {
    await call('post', '/scripts/{script}/scheduleConfigurations', { path: { script }, body: draft })
    invalidate(`/scripts/${script}/scheduleConfigurations`)
  }
  return (
    <FormDialog
      title={t('scripts.newSchedule')}
      submit={t('scripts.create')}
      wide
      refused={draft.name === '' ? t('scripts.needsName') : undefined}
      onSubmit={create}
      onClose={onClose}
    >
      {(failure) => (
        <ScheduleFields
          script={script}
          draft={draft}
          failure={failure}
          onChange={(part) => setDraft((now) => ({ ...now, ...part }))}
        />
      )}
    </FormDialog>
  )
}

type Props = { readonly script: string; readonly id: number }

/** A schedule as a form. */
export function ScheduleForm({ script, id }: Props): JSX.Element {
  const resource = useGet(ROUTE, { path: { script, id } })
  return (
    <Show resource={resource} what={t('scripts.failedSchedule')}>
      {(object) => <Loaded key={id} script={script} id={id} version={{ object, etag: resource.etag }} />}
    </Show>
  )
}

function Loaded({ script, id, version }: Props & { readonly version: Version<Schedule> }): JSX.Element {
  const editing = useEditing(
    version,
    patchedBy(
      ROUTE,
      { path: { script, id } },
      {
        draftOf,
        bodyOf: changedFields,
        saved: () => invalidate(`/scripts/${script}/scheduleConfigurations`),
      },
    ),
  )
  const { base, draft, failure, change } = editing
  return (
    <EditForm
      editing={editing}
      refused={refusedUnless(OPERATORS) ?? (draft.name.trim() === '' ? t('scripts.needsName') : undefined)}
      aside={<Note kind="info">{t('scripts.runsAsYou')}</Note>}
      fieldText={(field) => t(`scripts.field.${field}`)}
      valueText={(shown, field) => String(shown[field] ?? '–')}
    >
      {base.object.problem !== null && <Note kind="warning">{base.object.problem}</Note>}
      <ScheduleFields script={script} draft={draft} failure={failure} onChange={change} />
    </EditForm>
  )
}
