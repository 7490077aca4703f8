import type { JSX } from 'preact'
import { useLocation } from 'preact-iso'

import { call, send } from '../../api/client.ts'
import { invalidate, isUnread, useGet } from '../../api/resource.ts'
import { Button } from '../../kit/controls.tsx'
import { KeyValues, PageHead } from '../../kit/data.tsx'
import { FailureNote, Note, Progress, Skeleton, StaleOf, StoredReason } from '../../kit/feedback.tsx'
import { linkTo, objectLink } from '../../kit/location.ts'
import { bytesText } from '../../kit/numbers.ts'
import { durationText, now, Time } from '../../kit/time.tsx'
import { t } from '../../language/t.ts'
import { saveFile } from '../../kit/save-file.ts'
import { LogView } from './log-view.tsx'
import { RunStateBadge } from './run-state.tsx'
import { OPERATORS, refusedUnless, RUNNERS } from './rights.ts'
import { isActive, runSentence, runTitle } from './script.ts'
import type { Run } from './script.ts'

type Props = { readonly script: string; readonly jobId: string }

/** One run: its state, its log as it is written, and the files that it left. */
export function RunPage({ script, jobId }: Props): JSX.Element {
  const path = { script, jobId }
  const of = useGet('/scripts/{script}', { path: { script } })
  const read = useGet('/scripts/{script}/jobs/{jobId}', { path }, ['script'])
  const { data: run, failure, reload } = read
  return (
    <div class="fixed">
      <PageHead
        crumbs={[
          { text: t('scripts.title'), href: linkTo('scripts') },
          ...(isUnread(of) ? [] : [{ text: of.data?.name ?? script, href: linkTo(`scripts/${script}`) }]),
        ]}
        title={run === undefined ? t('scripts.runTitle') : runTitle(run)}
        badge={run && <RunStateBadge state={run.state} />}
        sentence={run && runSentence(run, now.value)}
        actions={run && <Actions script={script} run={run} />}
      />
      {run === undefined ? (
        <div key="reading" class="body">
          {failure ? (
            <FailureNote failure={failure} retry={reload} what={t('scripts.failedRun')} />
          ) : (
            <Skeleton lines={8} />
          )}
        </div>
      ) : (
        <div key="run" class="run">
          <div class="run-log">
            <StaleOf resources={[read]} />
            {run.error && (
              <Note kind="major" role="alert">
                <StoredReason reason={run.error} />
              </Note>
            )}
            {isActive(run) && run.progress.value !== null && (
              <Progress value={run.progress.value} label={t('scripts.progress')} />
            )}
            <LogView script={script} jobId={jobId} isActive={isActive(run)} onEnd={reload} />
          </div>
          <Facts run={run} />
        </div>
      )}
    </div>
  )
}

function Actions({ script, run }: { readonly script: string; readonly run: Run }): JSX.Element {
  const { route } = useLocation()
  const path = { script, jobId: run.id }
  const cancel = async (): Promise<void> => {
    await call('post', '/scripts/{script}/jobs/{jobId}/cancel', { path })
    invalidate('/scripts')
  }
  const rerun = async (): Promise<void> => {
    const again = await call('post', '/scripts/{script}/jobs/{jobId}/rerun', { path })
    invalidate('/scripts')
    route(linkTo(`scripts/${script}/jobs/${again.id}`))
  }
  if (isActive(run))
    return (
      <Button
        kind="danger"
        icon="stop"
        refused={refusedUnless(OPERATORS) ?? (run.cancelRequested ? t('scripts.cancelAsked') : undefined)}
        action={() => cancel()}
      >
        {t('scripts.cancel')}
      </Button>
    )
  return (
    <Button icon="refresh" refused={refusedUnless(RUNNERS)} action={() => rerun()}>
      {t('scripts.rerun')}
    </Button>
  )
}

function Facts({ run }: { readonly run: Run }): JSX.Element {
  const { queuedAt, startedAt, durationMs, runner, isolation, attempt, exitCode, trigger, user, report } = run
  return (
    <aside class="facts" aria-label={t('scripts.about')}>
      <KeyValues
        rows={[
          [t('scripts.configuration'), run.runConfiguration],
          ...(run.arguments?.length
            ? [
                [
                  t('scripts.arguments'),
                  <code key="arguments" class="pre">
                    {run.arguments.join('\n')}
                  </code>,
                ] as const,
              ]
            : []),
          [t('scripts.by'), t(`scripts.by.${trigger}`, { user: user ?? t('scripts.byDeleted') })],
          [t('scripts.asked'), <Time key="asked" at={queuedAt} seconds />],
          ...(startedAt === null
            ? []
            : [[t('scripts.waited'), durationText(Date.parse(startedAt) - Date.parse(queuedAt))] as const]),
          ...(durationMs === null ? [] : [[t('scripts.duration'), durationText(durationMs)] as const]),
          ...(exitCode === null ? [] : [[t('scripts.exitCode'), String(exitCode)] as const]),
          [t('scripts.attempt'), String(attempt)],
          ...(runner === null ? [] : [[t('scripts.onRunner'), runner] as const]),
          ...(isolation === null
            ? []
            : [[t('scripts.isolation'), t(`scripts.isolation.${isolation}`)] as const]),
          ...(report === null
            ? []
            : [
                [
                  t('scripts.report'),
                  <a key="report" href={objectLink('job', report.jobId)}>
                    {t('scripts.reportJob', { id: String(report.jobId) })}
                  </a>,
                ] as const,
              ]),
        ]}
      />
      <h2>{t('scripts.outputs')}</h2>
      {run.outputs.length === 0 && <p class="faint">{t('scripts.noOutputs')}</p>}
      <ul class="col">
        {run.outputs.map(({ name, size, url }) => (
          <li key={name}>
            <Button class="row output" icon="download" action={() => saveFile(() => send('GET', url), name)}>
              <span class="cut">{name}</span>
              <span class="label nowrap">{bytesText(size)}</span>
            </Button>
          </li>
        ))}
      </ul>
    </aside>
  )
}
