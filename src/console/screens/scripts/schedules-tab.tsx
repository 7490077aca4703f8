import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

import { call } from '../../api/client.ts'
import { invalidate, useGet } from '../../api/resource.ts'
import { background } from '../../kit/background.ts'
import { Button, SelectField, TextField } from '../../kit/controls.tsx'
import { Table } from '../../kit/data.tsx'
import { Empty, Show } from '../../kit/feedback.tsx'
import { FormDialog } from '../../kit/overlays.tsx'
import { State } from '../../kit/state.tsx'
import { Time, timeZone } from '../../kit/time.tsx'
import { t } from '../../language/t.ts'
import { OPERATORS, refusedUnless } from './rights.ts'
import type { Schedule } from './script.ts'

type Props = { readonly script: string }

/** When a script runs by itself. */
export function SchedulesTab({ script }: Props): JSX.Element {
  const schedules = useGet('/scripts/{script}/scheduleConfigurations', { path: { script } })
  const [isNew, setNew] = useState(false)
  const refused = refusedUnless(OPERATORS)
  const remove = async (id: number): Promise<void> => {
    await call('delete', '/scripts/{script}/scheduleConfigurations/{id}', { path: { script, id } })
    invalidate(`/scripts/${script}/scheduleConfigurations`)
  }
  const add = (
    <Button small icon="plus" refused={refused} onClick={() => setNew(true)}>
      {t('scripts.newSchedule')}
    </Button>
  )
  return (
    <>
      <Show resource={schedules} what={t('scripts.failedSchedules')}>
        {(all) =>
          all.length === 0 ? (
            <Empty title={t('scripts.noSchedules')} action={add} />
          ) : (
            <>
              <Table<Schedule>
                label={t('scripts.tab.schedules')}
                rows={all}
                keyOf={({ id }) => id}
                columns={[
                  { key: 'name', title: t('scripts.name'), cell: ({ name }) => <b>{name}</b> },
                  {
                    key: 'cron',
                    title: t('scripts.cron'),
                    cell: ({ cron, timeZone: zone }) => (
                      <>
                        <code class="nowrap">{cron}</code>
                        <div class="path">{zone}</div>
                      </>
                    ),
                  },
                  { key: 'next', title: t('scripts.next'), cell: (schedule) => <Next schedule={schedule} /> },
                  {
                    key: 'last',
                    title: t('scripts.lastRun'),
                    wide: true,
                    cell: ({ last }) =>
                      last === null ? (
                        '–'
                      ) : (
                        <span class="quiet">
                          <Time at={last.at} /> {last.result}
                        </span>
                      ),
                  },
                  {
                    key: 'delete',
                    title: <span class="vh">{t('scripts.delete')}</span>,
                    cell: ({ id, name }) => (
                      <Button
                        small
                        refused={refused}
                        aria-label={t('scripts.deleteName', { name })}
                        onClick={() => background(remove(id))}
                      >
                        {t('scripts.delete')}
                      </Button>
                    ),
                  },
                ]}
              />
              <div class="pad">{add}</div>
            </>
          )
        }
      </Show>
      {isNew && <NewSchedule script={script} onClose={() => setNew(false)} />}
    </>
  )
}

function Next({ schedule }: { readonly schedule: Schedule }): JSX.Element {
  const { enabled, problem, nextRuns } = schedule
  if (problem !== null) return <State state="warning" text={problem} />
  const [next] = nextRuns
  if (!enabled) return <State state={undefined} stopped text={t('scripts.off')} />
  return next === undefined ? <>–</> : <Time at={next} />
}

function NewSchedule({ script, onClose }: Props & { readonly onClose: () => void }): JSX.Element {
  const configurations = useGet('/scripts/{script}/runConfigurations', { path: { script } }).data ?? []
  const [form, setForm] = useState({
    name: '',
    cron: '30 2 * * *',
    timeZone: timeZone.value,
    configuration: '',
  })
  const change = (part: Partial<typeof form>): void => setForm({ ...form, ...part })
  const create = async (): Promise<void> => {
    const { name, cron, timeZone: zone, configuration } = form
    await call('post', '/scripts/{script}/scheduleConfigurations', {
      path: { script },
      body: {
        name,
        cron,
        timeZone: zone,
        ...(configuration === '' ? {} : { runConfigurationId: Number(configuration) }),
      },
    })
    invalidate(`/scripts/${script}/scheduleConfigurations`)
  }
  return (
    <FormDialog
      title={t('scripts.newSchedule')}
      submit={t('scripts.create')}
      refused={form.name === '' ? t('scripts.needsName') : undefined}
      onSubmit={create}
      onClose={onClose}
    >
      {(failure) => (
        <>
          <TextField
            label={t('scripts.name')}
            value={form.name}
            onValue={(name) => change({ name })}
            error={failure?.at('/name')}
            autofocus
          />
          <TextField
            label={t('scripts.cron')}
            hint={t('scripts.cronHint')}
            value={form.cron}
            onValue={(cron) => change({ cron })}
            error={failure?.at('/cron')}
            spellcheck={false}
          />
          <TextField
            label={t('scripts.timeZone')}
            value={form.timeZone}
            onValue={(value) => change({ timeZone: value })}
            error={failure?.at('/timeZone')}
          />
          <SelectField
            label={t('scripts.configuration')}
            value={form.configuration}
            onValue={(configuration) => change({ configuration })}
            options={[
              { value: '', text: t('scripts.defaultConfiguration') },
              ...configurations.map(({ id, name }) => ({ value: String(id), text: name })),
            ]}
          />
        </>
      )}
    </FormDialog>
  )
}
