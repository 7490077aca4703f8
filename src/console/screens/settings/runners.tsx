import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

import { call } from '../../api/client.ts'
import { invalidate, useGet } from '../../api/resource.ts'
import { IconButton } from '../../kit/controls.tsx'
import { Card, Table } from '../../kit/data.tsx'
import { Empty, Show } from '../../kit/feedback.tsx'
import { Confirm } from '../../kit/overlays.tsx'
import { State } from '../../kit/state.tsx'
import { Ago } from '../../kit/time.tsx'
import { t } from '../../language/t.ts'
import { runnersSentence } from './sentence.ts'
import type { Runner } from './sentence.ts'

/** The runners of scripts, and their presence. */
export function Runners(): JSX.Element {
  const runners = useGet('/runners', {})
  const [doomed, doom] = useState<Runner | null>(null)
  return (
    <Card title={t('settings.runners')} note={runners.data && runnersSentence(runners.data)}>
      <Show resource={runners} what={t('settings.runners.failed')}>
        {(all) =>
          all.length === 0 ? (
            <Empty title={t('settings.runners.empty')} text={t('settings.runners.emptyText')} />
          ) : (
            <RunnerTable runners={all} onDelete={doom} />
          )
        }
      </Show>
      {doomed && (
        <Confirm
          title={t('settings.runners.delete', { name: doomed.name })}
          effect={t('settings.runners.deleteEffect', { count: doomed.running })}
          submit={t('settings.runners.delete', { name: doomed.name })}
          onConfirm={async () => {
            await call('delete', '/runners/{id}', { path: { id: doomed.id } })
            invalidate('/runners')
          }}
          onClose={() => doom(null)}
        />
      )}
    </Card>
  )
}

type TableProps = { readonly runners: readonly Runner[]; readonly onDelete: (runner: Runner) => void }

function RunnerTable({ runners, onDelete }: TableProps): JSX.Element {
  return (
    <Table<Runner>
      label={t('settings.runners')}
      rows={runners}
      keyOf={({ id }) => id}
      columns={[
        {
          key: 'name',
          title: t('settings.runners.name'),
          cell: ({ name, os, version }) => (
            <>
              <b>{name}</b>
              <div class="path">{`${os}, ${version}`}</div>
            </>
          ),
        },
        { key: 'state', title: t('settings.runners.state'), cell: (runner) => <Presence runner={runner} /> },
        {
          key: 'slots',
          title: t('settings.runners.slots'),
          figures: true,
          cell: ({ running, slots }) => `${running} / ${slots}`,
        },
        {
          key: 'runs',
          title: t('settings.runners.runs'),
          wide: true,
          cell: ({ capabilities, labels }) => [...capabilities, ...labels].join(', '),
        },
        {
          key: 'isolation',
          title: t('settings.runners.isolation'),
          wide: true,
          cell: ({ isolation }) => t(`settings.isolation.${isolation}`),
        },
        { key: 'seen', title: t('settings.runners.seen'), cell: ({ seen }) => <Ago at={seen} /> },
        {
          key: 'delete',
          title: <span class="vh">{t('settings.actions')}</span>,
          figures: true,
          cell: (runner) => (
            <IconButton
              small
              icon="close"
              label={t('settings.runners.delete', { name: runner.name })}
              onClick={() => onDelete(runner)}
            />
          ),
        },
      ]}
    />
  )
}

function Presence({ runner: { present, refusal } }: { readonly runner: Runner }): JSX.Element {
  if (!present) return <State state="no_data" text={t('settings.runners.absent')} />
  if (refusal === null) return <State state="ok" text={t('settings.runners.isPresent')} />
  return (
    <>
      <State state="warning" text={t('settings.runners.refuses')} />
      <div class="path">{refusal}</div>
    </>
  )
}
