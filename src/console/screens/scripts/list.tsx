import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'

import { call } from '../../api/client.ts'
import { onEvents } from '../../api/events.ts'
import { invalidate, useGet } from '../../api/resource.ts'
import { Button, SelectField, TextField } from '../../kit/controls.tsx'
import { Card, PageHead, Table } from '../../kit/data.tsx'
import { Empty, Show, Skeleton } from '../../kit/feedback.tsx'
import { linkTo, useQuery } from '../../kit/location.ts'
import { FormDialog } from '../../kit/overlays.tsx'
import { State } from '../../kit/state.tsx'
import { Time } from '../../kit/time.tsx'
import { t } from '../../language/t.ts'
import { RunStateBadge } from './run-state.tsx'
import { KEEPERS, refusedUnless } from './rights.ts'
import { listSentence } from './script.ts'
import type { Group, Script } from './script.ts'

/** All scripts, group by group, each with its latest run. */
export function List(): JSX.Element {
  const scripts = useGet('/scripts', { query: { limit: 500 } })
  const groups = useGet('/scripts/groups', {})
  const [search, setSearch] = useQuery<string>('name', '')
  const [isNew, setNew] = useState(false)
  const all = scripts.data ?? []
  const shown = all.filter(({ name, description }) =>
    `${name} ${description}`.toLowerCase().includes(search.toLowerCase()),
  )
  const add = (
    <Button kind="primary" icon="plus" refused={refusedUnless(KEEPERS)} onClick={() => setNew(true)}>
      {t('scripts.new')}
    </Button>
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
                <Empty title={t('scripts.none')} text={t('scripts.noneText')} action={add} />
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
      {isNew && <NewScript groups={groups.data ?? []} onClose={() => setNew(false)} />}
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
                { key: 'last', title: t('scripts.lastRun'), cell: ({ id }) => <LastRun id={id} /> },
              ]}
            />
          </Card>
        ))}
    </>
  )
}

/** The latest run of a script; it is read again only after events of this script. */
function LastRun({ id }: { readonly id: number }): JSX.Element {
  const { data, reload } = useGet('/scripts/{script}/jobs', {
    path: { script: String(id) },
    query: { limit: 1 },
  })
  useEffect(() => onEvents(['script'], (event) => event.data['scriptId'] === id && reload()), [id])
  const run = data?.[0]
  if (data !== undefined && run === undefined) return <span class="faint">{t('scripts.neverRun')}</span>
  if (run === undefined) return <Skeleton lines={1} />
  return (
    <a class="row wrap last-run" href={linkTo(`scripts/${id}/jobs/${run.id}`)}>
      <RunStateBadge state={run.state} />
      <span class="faint nowrap">
        <Time at={run.finishedAt ?? run.queuedAt} />
      </span>
    </a>
  )
}

function NewScript({
  groups,
  onClose,
}: {
  readonly groups: readonly Group[]
  readonly onClose: () => void
}): JSX.Element {
  const { route } = useLocation()
  const [name, setName] = useState('')
  const [description, setDescription] = useState('')
  const [groupId, setGroupId] = useState('')
  const create = async (): Promise<void> => {
    const body = { name, description, ...(groupId === '' ? {} : { groupId: Number(groupId) }) }
    const created = await call('post', '/scripts', { body })
    invalidate('/scripts')
    route(`${linkTo(`scripts/${created.id}`)}?tab=files`)
  }
  return (
    <FormDialog
      title={t('scripts.new')}
      submit={t('scripts.create')}
      refused={name === '' ? t('scripts.needsName') : undefined}
      onSubmit={create}
      onClose={onClose}
    >
      {(failure) => (
        <>
          <TextField
            label={t('scripts.name')}
            value={name}
            onValue={setName}
            error={failure?.at('/name')}
            autofocus
          />
          <TextField
            label={t('scripts.description')}
            value={description}
            onValue={setDescription}
            error={failure?.at('/description')}
          />
          <SelectField
            label={t('scripts.group')}
            value={groupId}
            onValue={setGroupId}
            error={failure?.at('/groupId')}
            options={[
              { value: '', text: t('scripts.defaultGroup') },
              ...groups.map(({ id, name: text }) => ({ value: String(id), text })),
            ]}
          />
        </>
      )}
    </FormDialog>
  )
}
