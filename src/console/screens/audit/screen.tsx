import type { JSX } from 'preact'
import { useLocation } from 'preact-iso'
import { useMemo } from 'preact/hooks'

import { usePages } from '../../api/pages.ts'
import type { Pages } from '../../api/pages.ts'
import { useGet } from '../../api/resource.ts'
import { Button, Segments, SelectField, TextField } from '../../kit/controls.tsx'
import { Card, PageHead, Table } from '../../kit/data.tsx'
import { Empty, Show } from '../../kit/feedback.tsx'
import { linkTo, useQuery } from '../../kit/location.ts'
import { msOfDuration, Time } from '../../kit/time.tsx'
import { t } from '../../language/t.ts'
import { auditSentence, changesOf, linkOf, shortId, wordOf } from './entries.ts'
import type { Entry } from './entries.ts'

const RANGES = ['PT24H', 'P7D', 'P30D', 'all'] as const
type Range = (typeof RANGES)[number]
const ACTIONS = [
  'create',
  'update',
  'delete',
  'grant',
  'revoke',
  'assign',
  'comment',
  'restore',
  'run',
] as const
const TYPES = [
  'group',
  'device',
  'job',
  'slo',
  'slc',
  'alarm',
  'revaluation',
  'user',
  'script',
  'settings',
  'status page',
  'dataSource',
  'dataQuery',
  'dashboard',
  'forecast',
  'alarmRecipient',
  'file',
  'session',
  'backup',
] as const
const SHOWN_CHANGES = 3
const PAGE = 100

/** The audit log: changes with their time, user and fields; the filters are in the address. */
export function Screen(): JSX.Element {
  const { query } = useLocation()
  const range = (query['range'] ?? 'all') as Range
  const begin = useMemo(() => beginOf(range), [range])
  const { userId, action, objectType, objectId } = query
  const filter = {
    ...(userId ? { userId: Number(userId) } : {}),
    ...(action ? { action } : {}),
    ...(objectType ? { objectType } : {}),
    ...(objectId ? { objectId } : {}),
    ...(begin === null ? {} : { begin }),
  }
  const entries = usePages('/audit', { query: { ...filter, limit: PAGE } })
  return (
    <>
      <PageHead
        title={t('audit.title')}
        sentence={entries.data && auditSentence(entries.data)}
        actions={<RangeChoice />}
      />
      <div class="body">
        <Filters />
        <Card>
          <Show resource={entries} what={t('audit.failed')}>
            {(rows) =>
              rows.length === 0 ? (
                <Nothing isFiltered={Object.keys(filter).length > 0} />
              ) : (
                <Entries pages={entries} />
              )
            }
          </Show>
        </Card>
      </div>
    </>
  )
}

function beginOf(range: Range): string | null {
  const ms = msOfDuration(range)
  return ms === null ? null : new Date(Date.now() - ms).toISOString()
}

function RangeChoice(): JSX.Element {
  const [range, setRange] = useQuery<Range>('range', 'all')
  return (
    <Segments
      label={t('audit.range')}
      value={range}
      onChange={setRange}
      options={RANGES.map((value) => ({ value, text: t(`audit.range.${value}`) }))}
    />
  )
}

function Filters(): JSX.Element {
  const users = useGet('/users', {})
  const [userId, setUser] = useQuery<string>('userId', '')
  const [action, setAction] = useQuery<string>('action', '')
  const [objectType, setType] = useQuery<string>('objectType', '')
  const [objectId, setId] = useQuery<string>('objectId', '')
  const all = { value: '', text: t('audit.all') }
  const known = (part: 'action' | 'type', names: readonly string[], chosen: string) => [
    all,
    ...[...new Set([...names, chosen])]
      .filter((value) => value !== '')
      .map((value) => ({ value, text: wordOf(part, value) })),
  ]
  return (
    <div class="form-grid">
      <SelectField
        label={t('audit.user')}
        value={userId}
        onValue={setUser}
        options={[
          all,
          ...(users.data ?? []).map(({ id, username }) => ({ value: String(id), text: username })),
        ]}
      />
      <SelectField
        label={t('audit.action')}
        value={action}
        onValue={setAction}
        options={known('action', ACTIONS, action)}
      />
      <SelectField
        label={t('audit.type')}
        value={objectType}
        onValue={setType}
        options={known('type', TYPES, objectType)}
      />
      <TextField label={t('audit.id')} type="search" value={objectId} onValue={setId} />
    </div>
  )
}

function Nothing({ isFiltered }: { readonly isFiltered: boolean }): JSX.Element {
  const { route } = useLocation()
  if (!isFiltered) return <Empty title={t('audit.empty')} text={t('audit.emptyText')} />
  return (
    <Empty
      title={t('audit.noMatch')}
      action={<Button onClick={() => route(linkTo('audit'))}>{t('audit.clear')}</Button>}
    />
  )
}

function Entries({ pages }: { readonly pages: Pages<Entry> }): JSX.Element {
  return (
    <>
      <Table<Entry>
        label={t('audit.title')}
        rows={pages.data ?? []}
        keyOf={({ id }) => id}
        columns={[
          { key: 'at', title: t('audit.at'), cell: ({ at }) => <Time at={at} seconds /> },
          {
            key: 'user',
            title: t('audit.user'),
            cell: ({ username, address }) => (
              <>
                {username || t('audit.service')}
                {address !== '' && <div class="path">{address}</div>}
              </>
            ),
          },
          { key: 'action', title: t('audit.action'), cell: ({ action }) => wordOf('action', action) },
          { key: 'object', title: t('audit.object'), cell: (entry) => <ObjectName entry={entry} /> },
          { key: 'changes', title: t('audit.changes'), cell: (entry) => <Changes entry={entry} /> },
        ]}
      />
      {(pages.more || pages.isLoading) && (
        <footer>
          <Button small busy={pages.isLoading} onClick={() => pages.more?.()}>
            {t('audit.more')}
          </Button>
        </footer>
      )}
    </>
  )
}

function ObjectName({ entry }: { readonly entry: Entry }): JSX.Element {
  const link = linkOf(entry)
  const name = `${wordOf('type', entry.objectType)} ${shortId(entry.objectId)}`
  return link === null ? <span title={entry.objectId}>{name}</span> : <a href={link}>{name}</a>
}

/** The first changes of an entry; the others are unfolded. */
function Changes({ entry }: { readonly entry: Entry }): JSX.Element | null {
  const changes = changesOf(entry)
  if (changes.length === 0) return null
  const list = (part: typeof changes): JSX.Element => (
    <ul class="changes">
      {part.map(({ field, before, after }) => (
        <li key={field}>
          <code>{field}</code> {before !== '' && <del>{before}</del>} {after !== '' && <ins>{after}</ins>}
        </li>
      ))}
    </ul>
  )
  const rest = changes.slice(SHOWN_CHANGES)
  return (
    <>
      {list(changes.slice(0, SHOWN_CHANGES))}
      {rest.length > 0 && (
        <details>
          <summary>{t('audit.rest', { count: rest.length })}</summary>
          {list(rest)}
        </details>
      )}
    </>
  )
}
