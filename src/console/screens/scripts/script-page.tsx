import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

import { useGet } from '../../api/resource.ts'
import { Button } from '../../kit/controls.tsx'
import { Card, PageHead, Tabs } from '../../kit/data.tsx'
import { Note, Show } from '../../kit/feedback.tsx'
import { linkTo, useQuery } from '../../kit/location.ts'
import { now } from '../../kit/time.tsx'
import { Unread } from '../../kit/unread.tsx'
import { t } from '../../language/t.ts'
import { FilesTab } from './files-tab.tsx'
import { RunForm } from './run-form.tsx'
import { RUNS_MAX, RunsTab } from './runs-tab.tsx'
import { SchedulesTab } from './schedules-tab.tsx'
import { refusedUnless, RUNNERS } from './rights.ts'
import { runsSentence } from './script.ts'
import type { Script } from './script.ts'
import { SettingsTab } from './settings-tab.tsx'
import { WebhooksTab } from './webhooks-tab.tsx'

const TABS = ['runs', 'files', 'schedules', 'webhooks', 'settings'] as const
type TabName = (typeof TABS)[number]

/** One script: its runs, files, schedules, webhook tokens and settings. */
export function ScriptPage({ script }: { readonly script: string }): JSX.Element {
  const resource = useGet('/scripts/{script}', { path: { script } })
  const runs = useGet('/scripts/{script}/jobs', { path: { script }, query: { limit: RUNS_MAX } }, ['script'])
  const [tab, setTab] = useQuery<TabName>('tab', 'runs')
  const [isRunning, setRunning] = useState(false)
  const { data, failure } = resource
  if (!data || failure?.isGone) return <Unread resource={resource} what={t('scripts.failedOne')} />
  return (
    <>
      <PageHead
        crumbs={[{ text: t('scripts.title'), href: linkTo('scripts') }]}
        title={data.name}
        sentence={runs.data && runsSentence(runs.data, now.value)}
        actions={
          <Button
            kind="primary"
            icon="play"
            refused={refusedUnless(RUNNERS) ?? unfitText(data)}
            onClick={() => setRunning(true)}
          >
            {t('scripts.run')}
          </Button>
        }
      />
      <div class="body">
        <Show resource={resource}>
          {(shown) => (
            <>
              {unfitText(shown) !== undefined && <Note kind="warning">{unfitText(shown)}</Note>}
              <Card>
                <Tabs
                  label={shown.name}
                  value={TABS.includes(tab) ? tab : 'runs'}
                  onChange={(value) => setTab(value)}
                  tabs={TABS.map((value) => ({ value, text: t(`scripts.tab.${value}`) }))}
                >
                  {tab === 'files' && <FilesTab script={script} />}
                  {tab === 'schedules' && <SchedulesTab script={script} />}
                  {tab === 'webhooks' && <WebhooksTab script={script} />}
                  {tab === 'settings' && <SettingsTab script={shown} etag={resource.etag} />}
                  {(tab === 'runs' || !TABS.includes(tab)) && <RunsTab script={script} runs={runs} />}
                </Tabs>
              </Card>
            </>
          )}
        </Show>
      </div>
      {isRunning && <RunForm script={script} onClose={() => setRunning(false)} />}
    </>
  )
}

/** Why no runner can start the script; undefined when one can. */
function unfitText(script: Script): string | undefined {
  const [warning] = script.warnings ?? []
  return warning === undefined ? undefined : t(`scripts.warning.${warning}`)
}
