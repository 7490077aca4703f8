import type { JSX } from 'preact'

import type { Resource } from '../../api/resource.ts'
import { Table } from '../../kit/data.tsx'
import { Empty, Show } from '../../kit/feedback.tsx'
import { linkTo } from '../../kit/location.ts'
import { durationText, now, Time } from '../../kit/time.tsx'
import { t } from '../../language/t.ts'
import { RunStateBadge } from './run-state.tsx'
import { isActive, runTitle } from './script.ts'
import type { Run } from './script.ts'

/** The greatest `limit` of the runs of a script. */
export const RUNS_MAX = 100

type Props = { readonly script: string; readonly runs: Resource<Run[]> }

/** The latest runs of a script. */
export function RunsTab({ script, runs }: Props): JSX.Element {
  return (
    <Show resource={runs} what={t('scripts.failedRuns')}>
      {(all) =>
        all.length === 0 ? (
          <Empty title={t('scripts.say.never')} text={t('scripts.neverText')} />
        ) : (
          <>
            <Table<Run>
              label={t('scripts.tab.runs')}
              rows={all}
              keyOf={({ id }) => id}
              columns={[
                {
                  key: 'state',
                  title: t('scripts.state'),
                  cell: ({ state }) => <RunStateBadge state={state} />,
                },
                {
                  key: 'run',
                  title: t('scripts.runTitle'),
                  cell: (run) => (
                    <div class="run-name">
                      <a class="cut" href={linkTo(`scripts/${script}/jobs/${run.id}`)} title={runTitle(run)}>
                        {runTitle(run)}
                      </a>
                      {!!run.arguments?.length && <div class="path">{run.runConfiguration}</div>}
                    </div>
                  ),
                },
                {
                  key: 'by',
                  title: t('scripts.by'),
                  wide: true,
                  cell: ({ trigger, user }) => (
                    <span class="quiet">
                      {t(`scripts.by.${trigger}`, { user: user ?? t('scripts.byDeleted') })}
                    </span>
                  ),
                },
                {
                  key: 'asked',
                  title: t('scripts.asked'),
                  cell: ({ queuedAt }) => <Time at={queuedAt} seconds />,
                },
                {
                  key: 'duration',
                  title: t('scripts.duration'),
                  figures: true,
                  cell: (run) => durationOf(run),
                },
                {
                  key: 'exit',
                  title: t('scripts.exitCode'),
                  figures: true,
                  wide: true,
                  cell: ({ exitCode }) => exitCode ?? '–',
                },
              ]}
            />
            {all.length === RUNS_MAX && (
              <p class="label pad">{t('scripts.latestRuns', { count: RUNS_MAX })}</p>
            )}
          </>
        )
      }
    </Show>
  )
}

function durationOf(run: Run): string {
  if (run.durationMs !== null) return durationText(run.durationMs)
  return run.startedAt !== null && isActive(run) ? durationText(now.value - Date.parse(run.startedAt)) : '–'
}
