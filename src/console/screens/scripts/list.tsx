import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

import { useGet } from '../../api/resource.ts'
import { Button } from '../../kit/controls.tsx'
import { Card, PageHead, Table } from '../../kit/data.tsx'
import { Empty, Show, Skeleton } from '../../kit/feedback.tsx'
import { linkTo, useQuery } from '../../kit/location.ts'
import { State } from '../../kit/state.tsx'
import { Time } from '../../kit/time.tsx'
import { t } from '../../language/t.ts'
import { ImportWizard } from './import-wizard.tsx'
import { NewScript } from './new-script.tsx'
import { RunStateBadge } from './run-state.tsx'
import { KEEPERS, refusedUnless } from './rights.ts'
import { listSentence } from './script.ts'
import type { Group, Script } from './script.ts'

/** All scripts, group by group, each with its latest run. */
export function List(): JSX.Element {
  const scripts = useGet('/scripts', {}, ['script'])
  const groups = useGet('/scripts/groups', {})
  const [search, setSearch] = useQuery<string>('name', '')
  const [dialog, setDialog] = useState<'new' | 'import' | null>(null)
  const all = scripts.data ?? []
  const shown = all.filter(({ name, description }) =>
    `${name} ${description}`.toLowerCase().includes(search.toLowerCase()),
  )
  const add = (
    <>
      <Button icon="file" refused={refusedUnless(KEEPERS)} onClick={() => setDialog('import')}>
        {t('scripts.import')}
      </Button>
      <Button kind="primary" icon="plus" refused={refusedUnless(KEEPERS)} onClick={() => setDialog('new')}>
        {t('scripts.new')}
      </Button>
    </>
  )
  return (
    <>
      <PageHead
        title={t('scripts.title')}
        sentence={scripts.data && all.length > 0 ? listSentence(all) : undefined}
        actions={add}
      />
      <div class="body">
        <Show resource={scripts} what={t('scripts.failed')} skeleton={<Skeleton lines={8} />}>
          {() =>
            all.length === 0 ? (
              <Card>
                <Empty
                  title={t('scripts.none')}
                  text={t('scripts.noneText')}
                  action={<span class="row wrap">{add}</span>}
                />
              </Card>
            ) : (
              <>
                <input
                  class="input search-box"
                  type="search"
                  aria-label={t('scripts.search')}
                  placeholder={t('scripts.search')}
                  value={search}
                  onInput={(event) => setSearch(event.currentTarget.value)}
                />
                {shown.length === 0 && (
                  <Card>
                    <Empty
                      title={t('scripts.noMatch')}
                      action={<Button onClick={() => setSearch('')}>{t('scripts.clearSearch')}</Button>}
                    />
                  </Card>
                )}
                <Groups scripts={shown} groups={groups.data ?? []} />
              </>
            )
          }
        </Show>
      </div>
      {dialog === 'new' && <NewScript groups={groups.data ?? []} onClose={() => setDialog(null)} />}
      {dialog === 'import' && <ImportWizard groups={groups.data ?? []} onClose={() => setDialog(null)} />}
    </>
  )
}

type GroupsProps = { readonly scripts: readonly Script[]; readonly groups: readonly Group[] }

function Groups({ scripts, groups }: GroupsProps): JSX.Element {
  const nameOf = (id: number): string => groups.find((group) => group.id === id)?.name ?? `#${id}`
  const parts = [...Map.groupBy(scripts, ({ groupId }) => groupId)].map(
    ([id, inside]) => [nameOf(id), inside] as const,
  )
  return (
    <>
      {parts
        .sort(([one], [other]) => one.localeCompare(other))
        .map(([name, inside]) => (
          <Card key={name} title={name} note={String(inside.length)}>
            <Table<Script>
              label={name}
              rows={inside}
              keyOf={({ id }) => id}
              columns={[
                {
                  key: 'name',
                  title: t('scripts.name'),
                  cell: (script) => (
                    <>
                      <a href={linkTo(`scripts/${script.id}`)}>{script.name}</a>
                      {script.description && <div class="path">{script.description}</div>}
                    </>
                  ),
                },
                {
                  key: 'runner',
                  title: t('scripts.runner'),
                  wide: true,
                  cell: ({ runner, runnerFile }) =>
                    runner === null ? (
                      <State state="warning" text={t('scripts.noRunner')} />
                    ) : (
                      <span class="quiet">{t('scripts.runnerFile', { runner, file: runnerFile ?? '' })}</span>
                    ),
                },
                { key: 'last', title: t('scripts.lastRun'), cell: (script) => <LastRun script={script} /> },
              ]}
            />
          </Card>
        ))}
    </>
  )
}

/** The latest run of a script, as the list of scripts has it. */
function LastRun({ script: { id, lastRun } }: { readonly script: Script }): JSX.Element {
  if (lastRun === null) return <span class="faint">{t('scripts.neverRun')}</span>
  return (
    <a class="row wrap last-run" href={linkTo(`scripts/${id}/jobs/${lastRun.id}`)}>
      <RunStateBadge state={lastRun.state} />
      <span class="faint nowrap">
        <Time at={lastRun.finishedAt ?? lastRun.startedAt ?? lastRun.queuedAt} />
      </span>
    </a>
  )
}
