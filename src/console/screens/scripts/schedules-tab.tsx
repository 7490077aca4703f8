import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

import { call } from '../../api/client.ts'
import { invalidate, patched, useGet } from '../../api/resource.ts'
import { background } from '../../kit/background.ts'
import { Button, Check } from '../../kit/controls.tsx'
import { Table } from '../../kit/data.tsx'
import { Empty, Show } from '../../kit/feedback.tsx'
import { linkTo, useQuery } from '../../kit/location.ts'
import { Confirm } from '../../kit/overlays.tsx'
import { State } from '../../kit/state.tsx'
import { Time } from '../../kit/time.tsx'
import { t } from '../../language/t.ts'
import { cronWords } from './cron-words.ts'
import { OPERATORS, refusedUnless } from './rights.ts'
import { NewSchedule, ScheduleForm } from './schedule-form.tsx'
import type { Schedule } from './script.ts'

const ROUTE = '/scripts/{script}/scheduleConfigurations/{id}'

type Props = { readonly script: string }

/** When a script runs by itself: the schedules, or one of them as a form. */
export function SchedulesTab({ script }: Props): JSX.Element {
  const [chosen, choose] = useQuery<string>('schedule', '')
  if (chosen === '') return <Schedules script={script} />
  return (
    <div class="pad col job">
      <span>
        <Button small icon="undo" onClick={() => choose('')}>
          {t('scripts.allSchedules')}
        </Button>
      </span>
      <ScheduleForm script={script} id={Number(chosen)} />
    </div>
  )
}

function Schedules({ script }: Props): JSX.Element {
  const schedules = useGet('/scripts/{script}/scheduleConfigurations', { path: { script } })
  const [isNew, setNew] = useState(false)
  const [doomed, doom] = useState<Schedule | null>(null)
  const refused = refusedUnless(OPERATORS)
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
            <Empty title={t('scripts.noSchedules')} text={t('scripts.schedulesText')} action={add} />
          ) : (
            <>
              <ScheduleTable script={script} schedules={all} refused={refused} onDelete={doom} />
              <div class="pad">{add}</div>
            </>
          )
        }
      </Show>
      {isNew && <NewSchedule script={script} onClose={() => setNew(false)} />}
      {doomed && (
        <Confirm
          title={t('scripts.deleteName', { name: doomed.name })}
          effect={t('scripts.deleteScheduleEffect', { name: doomed.name })}
          submit={t('scripts.delete')}
          onConfirm={async () => {
            await call('delete', ROUTE, { path: { script, id: doomed.id } })
            invalidate(`/scripts/${script}/scheduleConfigurations`)
          }}
          onClose={() => doom(null)}
        />
      )}
    </>
  )
}

type TableProps = Props & {
  readonly schedules: readonly Schedule[]
  readonly refused: string | undefined
  readonly onDelete: (schedule: Schedule) => void
}

function ScheduleTable({ script, schedules, refused, onDelete }: TableProps): JSX.Element {
  return (
    <Table<Schedule>
      label={t('scripts.tab.schedules')}
      rows={schedules}
      keyOf={({ id }) => id}
      columns={[
        {
          key: 'name',
          title: t('scripts.name'),
          cell: ({ id, name }) => (
            <a href={linkTo(`scripts/${script}`, { tab: 'schedules', schedule: id })}>{name}</a>
          ),
        },
        {
          key: 'cron',
          title: t('scripts.cron'),
          cell: ({ cron, timeZone: zone }) => (
            <>
              {cronWords(cron) ?? <code class="nowrap">{cron}</code>}
              <div class="path">
                {cronWords(cron) !== null && <code class="nowrap">{cron}</code>} {zone}
              </div>
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
                <Time at={last.at} /> {lastText(last.result)}
              </span>
            ),
        },
        {
          key: 'on',
          title: t('scripts.enabled'),
          cell: (schedule) => (
            <Check
              label={<span class="vh">{t('scripts.enableName', { name: schedule.name })}</span>}
              checked={schedule.enabled}
              disabled={refused !== undefined}
              onChange={(enabled) => background(enable(script, schedule, enabled))}
            />
          ),
        },
        {
          key: 'delete',
          title: <span class="vh">{t('scripts.delete')}</span>,
          cell: (schedule) => (
            <Button
              small
              refused={refused}
              aria-label={t('scripts.deleteName', { name: schedule.name })}
              onClick={() => onDelete(schedule)}
            >
              {t('scripts.delete')}
            </Button>
          ),
        },
      ]}
    />
  )
}

async function enable(script: string, { id }: Schedule, enabled: boolean): Promise<void> {
  const schedules = `/scripts/${script}/scheduleConfigurations`
  const change = (one: Schedule): Schedule => (one.id === id ? { ...one, enabled } : one)
  try {
    await patched<readonly Schedule[] | Schedule, unknown>(
      schedules,
      (data) => ('map' in data ? data.map(change) : change(data)),
      () => call('patch', ROUTE, { path: { script, id }, body: { enabled } }),
    )
  } finally {
    invalidate(schedules)
  }
}

/** The result of a due time: a word of the service, or the code of a refusal. */
function lastText(result: string): string {
  return result === 'ordered' || result === 'missed' ? t(`scripts.due.${result}`) : result
}

function Next({ schedule }: { readonly schedule: Schedule }): JSX.Element {
  const { enabled, problem, nextRuns } = schedule
  if (problem !== null) return <State state="warning" text={problem} />
  const [next] = nextRuns
  if (!enabled) return <State state={undefined} stopped text={t('scripts.off')} />
  return next === undefined ? <>–</> : <Time at={next} />
}
