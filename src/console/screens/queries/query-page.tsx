import type { JSX } from 'preact'
import { lazy, useLocation } from 'preact-iso'
import { useEffect, useState } from 'preact/hooks'

import { together, useGet } from '../../api/resource.ts'
import { user } from '../../api/session.ts'
import { background } from '../../kit/background.ts'
import { Button, Kbd } from '../../kit/controls.tsx'
import { PageHead } from '../../kit/data.tsx'
import { Unsaved } from '../../kit/editing.tsx'
import { linkTo, useQuery } from '../../kit/location.ts'
import { Menu } from '../../kit/overlays.tsx'
import { State } from '../../kit/state.tsx'
import type { Version } from '../../kit/versions.ts'
import { Unread } from '../../kit/unread.tsx'
import { t } from '../../language/t.ts'
import { DeleteDialog } from './delete-dialog.tsx'
import { DependentsCard } from './dependents.tsx'
import type { Dependents } from './dependents.tsx'
import { EditorCard } from './editor-card.tsx'
import { pathOf } from './groups.ts'
import type { Group } from './groups.ts'
import { ParametersCard } from './parameters-card.tsx'
import { PublishDialog } from './publish-dialog.tsx'
import { freshDraft } from './query.ts'
import type { Query, QueryDraft } from './query.ts'
import { ResultCard } from './result-card.tsx'
import { SourcesCard } from './sources-card.tsx'
import { StorageCard } from './storage-card.tsx'
import { useDraft } from './use-draft.ts'
import { useRun } from './use-run.ts'
import type { Run } from './use-run.ts'
import { VersionsCard } from './versions-card.tsx'

/** A data query, or a new one: its text, parameters, result and versions. */
export function QueryPage({ id }: { readonly id: string }): JSX.Element {
  const read = useGet('/dataQueries/{id}', id === 'new' ? null : { path: { id: Number(id) } })
  const sourceId = read.data?.dataSourceId
  const resource = together(
    read,
    useGet('/dataQueries/groups', {}),
    useGet('/dataSources/{id}/columns', sourceId === undefined ? null : { path: { id: sourceId } }),
  )
  if (id === 'new') return <New />
  if (resource.data) return <Editing query={resource.data} etag={resource.etag} />
  return <Unread resource={resource} what={t('queries.failedOne')} />
}

/** The plan is loaded when it is asked for first. */
const Plan = lazy(async () => (await import('./plan-dialog.tsx')).PlanDialog)

/** A new data query, in the group or of the table that the address names. */
function New(): JSX.Element {
  const [group] = useQuery<string>('group', '')
  const [sourceId] = useQuery<string>('source', '')
  const [table] = useQuery<string>('table', '')
  const sources = useGet('/dataSources', {})
  const source = sources.data?.items.find(({ id }) => String(id) === sourceId)
  const fresh = freshDraft({ groupId: group === '' ? null : Number(group), source, table })
  // The text of the editor is given once.
  if (sourceId === '' || sources.data) return <Editing query={undefined} etag={undefined} fresh={fresh} />
  return <Unread resource={sources} what={t('data.failed')} />
}

type Props = {
  readonly query: Query | undefined
  readonly etag: string | undefined
  readonly fresh?: QueryDraft
}

function Editing({ query, etag, fresh = freshDraft({}) }: Props): JSX.Element {
  const { route } = useLocation()
  const edited = useDraft({ object: query, etag }, fresh)
  const { draft, change, isChanged, base, failure } = edited
  const restore = (version: Version<Query>): (() => void) => {
    edited.begin(version)
    return () => change(draft)
  }
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({})
  const [dialog, setDialog] = useState<DialogName | null>(null)
  const run = useRun()
  const groups = useGet('/dataQueries/groups', {}).data?.items ?? []
  const dependents = useGet('/dataQueries/{id}/dependents', query ? { path: { id: query.id } } : null)
  const made = query === undefined ? base.object?.id : undefined
  useEffect(() => {
    if (made !== undefined) route(linkTo(`queries/${made}`), true)
  }, [made])
  const start = (): void => background(run.start(draft, texts))
  const refusedRun = refusedRunOf(draft)
  return (
    <>
      <PageHead
        crumbs={crumbsOf(groups, query)}
        title={query?.name ?? t('queries.new')}
        badge={query && <Badge query={query} />}
        actions={
          <>
            <Button busy={edited.isBusy} refused={refusedSave(draft, isChanged)} onClick={edited.save}>
              {t('queries.saveDraft')}
            </Button>
            <Button
              refused={query === undefined || isChanged ? t('queries.saveFirst') : undefined}
              onClick={() => setDialog('publish')}
            >
              {t('queries.publish')}
            </Button>
            <Button icon="objects" refused={refusedRun} onClick={() => setDialog('plan')}>
              {t('queries.plan')}
            </Button>
            <RunButton run={run} refused={refusedRun} onStart={start} />
            {query && <More query={query} onDelete={() => setDialog('delete')} />}
          </>
        }
      />
      <div class="body">
        <Unsaved editing={edited} />
        {/* A new data query gets a page of its own, which begins with what is stored. */}
        <div class="query" inert={query === undefined && edited.isBusy}>
          <div class="col spread">
            <EditorCard
              query={query}
              edited={edited}
              failure={failure}
              groups={groups}
              dependents={dependents}
              onRun={() => refusedRun === undefined && start()}
              onCancel={run.cancel}
            />
            <ResultCard run={run} />
          </div>
          <div class="col spread">
            <SourcesCard current={draft.dataSourceId} queryId={query?.id} />
            <ParametersCard
              draft={draft}
              change={change}
              texts={texts}
              onTexts={setTexts}
              failure={run.failure}
            />
            <StorageCard query={query} draft={draft} change={change} failure={failure} />
            {query && (
              <>
                <DependentsCard dependents={dependents} />
                <VersionsCard query={query} onRestored={restore} />
              </>
            )}
          </div>
        </div>
      </div>
      {dialog && (
        <Opened
          dialog={dialog}
          query={query}
          draft={draft}
          texts={texts}
          dependents={dependents}
          onClose={() => setDialog(null)}
        />
      )}
    </>
  )
}

type DialogName = 'publish' | 'delete' | 'plan'

function Opened({
  dialog,
  query,
  draft,
  texts,
  dependents,
  onClose,
}: {
  readonly dialog: DialogName
  readonly query: Query | undefined
  readonly draft: QueryDraft
  readonly texts: Readonly<Record<string, string>>
  readonly dependents: Dependents
  readonly onClose: () => void
}): JSX.Element | null {
  if (dialog === 'plan') return <Plan draft={draft} texts={texts} onClose={onClose} />
  if (query && dialog === 'publish') return <PublishDialog query={query} onClose={onClose} />
  if (query && dialog === 'delete')
    return <DeleteDialog query={query} dependents={dependents} onClose={onClose} />
  return null
}

const crumbsOf = (groups: readonly Group[], query: Query | undefined) => [
  { text: t('queries.title'), href: linkTo('queries') },
  ...pathOf(groups, query?.groupId ?? null).map(({ id, name }) => ({
    text: name,
    href: linkTo('queries', { group: id }),
  })),
]

function RunButton({
  run,
  refused,
  onStart,
}: {
  readonly run: Run
  readonly refused: string | undefined
  readonly onStart: () => void
}): JSX.Element {
  if (run.isRunning)
    return (
      <Button icon="stop" onClick={run.cancel}>
        {t('kit.cancel')}
      </Button>
    )
  return (
    <Button kind="primary" icon="play" refused={refused} onClick={onStart}>
      {t('queries.run')} <Kbd>Ctrl ↵</Kbd>
    </Button>
  )
}

function More({ query, onDelete }: { readonly query: Query; readonly onDelete: () => void }): JSX.Element {
  return (
    <Menu
      label={t('data.moreOf', { name: query.name })}
      items={[{ text: t('data.delete'), icon: 'close', danger: true, run: onDelete }]}
    />
  )
}

function refusedRunOf(draft: QueryDraft): string | undefined {
  if (draft.dataSourceId === '' || draft.text.trim() === '') return t('queries.needsText')
  return refusedText(draft)
}

/** The server refuses texts whose values become SQL, but to administrators. */
function refusedText({ escaping }: QueryDraft): string | undefined {
  const isAllowed = escaping === 'bind' || user.value?.role === 'administrator'
  return isAllowed ? undefined : t('queries.legacyRefused')
}

function refusedSave(draft: QueryDraft, isChanged: boolean): string | undefined {
  const refused = refusedText(draft)
  if (refused !== undefined) return refused
  if (draft.name.trim() === '' || draft.dataSourceId === '') return t('queries.needsName')
  return isChanged ? undefined : t('edit.unchanged')
}

function Badge({ query }: { readonly query: Query }): JSX.Element {
  const { published, errors } = query
  return (
    <>
      <span class="chip">
        {published === 0 ? t('queries.notPublished') : t('queries.version', { number: published })}
      </span>
      {errors.length > 0 && <State state="warning" text={t('queries.invalid', { count: errors.length })} />}
    </>
  )
}
