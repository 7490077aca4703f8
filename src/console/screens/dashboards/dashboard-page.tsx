import type { JSX } from 'preact'
import { lazy, useLocation } from 'preact-iso'
import { useEffect } from 'preact/hooks'

import { useGet } from '../../api/resource.ts'
import type { Span } from '../../kit/charts/points.ts'
import { Button, Segments } from '../../kit/controls.tsx'
import { copyText, PageHead } from '../../kit/data.tsx'
import { Empty, FailureNote, StaleOf } from '../../kit/feedback.tsx'
import { linkTo, useQuery } from '../../kit/location.ts'
import { State } from '../../kit/state.tsx'
import { spanText } from '../../kit/time.tsx'
import { Unread } from '../../kit/unread.tsx'
import { t } from '../../language/t.ts'
import { addressOf, withField, withValue } from './address.ts'
import { Board } from './board.tsx'
import type { Dashboard, Nested, Page, TimeRange, Value, Values } from './dashboard.ts'
import type { ShownData } from './mail-dialog.tsx'
import { MoreMenu } from './more-menu.tsx'
import { ParameterField } from './parameter-field.tsx'
import { refusedWriting } from './rights.ts'
import { useData } from './use-data.ts'

/** Kinds of widgets that show a span of time. */
const OF_TIME: ReadonlySet<string> = new Set(['history', 'slo', 'value', 'dashboard'])
const RANGES = ['-PT1H', '-PT6H', '-P1D', '-P7D', '-P30D']
const COLUMNS = 12

/** The editor is loaded when a dashboard is changed first. */
const Lazy = lazy(async () => (await import('./edit/edit-page.tsx')).EditPage)

/** A dashboard: its parameters, which the address has, and its widgets. */
export function DashboardPage({ id }: { readonly id: string }): JSX.Element {
  const nested = useGet('/dashboards/{id}/nested', { path: { id } })
  const title = nested.data?.dashboard.name
  useEffect(() => {
    if (title !== undefined) document.title = `${title} · Tidemark`
  }, [title])
  const [edit] = useQuery<string>('edit', '')
  const isEdited = edit === 'true' && nested.data?.dashboard.permissions.write === true
  if (nested.data && isEdited) return <Lazy nested={nested.data} />
  if (nested.data && !nested.failure?.isGone)
    return <Viewed nested={nested.data} stale={<StaleOf resources={[nested]} />} />
  return <Unread resource={nested} what={t('boards.failedOne')} />
}

/** The address of a dashboard, and functions that change it. */
function useAddress({ definition }: Dashboard) {
  const { url, route } = useLocation()
  const address = addressOf(url.includes('?') ? url.slice(url.indexOf('?')) : '', definition.parameters)
  const go = (search: string): void => route(location.pathname + search, true)
  return {
    ...address,
    setValue: (name: string, value: Value) => go(withValue(location.search, name, value)),
    setPage: (page: string) => go(withField(location.search, 'page', page)),
    setRange: ({ from, to }: { readonly from: string | null; readonly to: string | null }) =>
      go(withField(withField(location.search, 'from', from), 'to', to)),
  }
}

function Viewed({ nested, stale }: { readonly nested: Nested; readonly stale: JSX.Element }): JSX.Element {
  const { dashboard } = nested
  const { definition } = dashboard
  const address = useAddress(dashboard)
  const page = definition.pages.find(({ id }) => id === address.page) ?? definition.pages[0]
  const data = useData(
    page
      ? {
          id: dashboard.id,
          values: address.values,
          timeRange: address.timeRange,
          page: page.id,
          width: widthsOf(page),
        }
      : null,
  )
  const zoom = ({ begin, end }: Span): void =>
    address.setRange({
      from: new Date(Math.round(begin)).toISOString(),
      to: new Date(Math.round(end)).toISOString(),
    })
  return (
    <>
      <PageHead
        crumbs={crumbsOf(nested)}
        title={dashboard.name}
        badge={<Badges dashboard={dashboard} />}
        sentence={dashboard.description || null}
        actions={<Actions nested={nested} params={data.params ?? nested.params} shown={address} />}
      />
      <div class="body">
        {(data.failure === null || data.readAt === null) && stale}
        <Fields nested={nested} page={page} values={data.params ?? nested.params} address={address} />
        {data.failure && data.readAt === null && (
          <FailureNote failure={data.failure} retry={data.reload} what={t('boards.failedData')} />
        )}
        {page === undefined || page.items.length === 0 ? (
          <Empty title={t('boards.empty')} text={t('boards.emptyText')} />
        ) : (
          <Board
            dashboard={dashboard}
            nested={nested}
            page={page}
            data={data}
            timeRange={address.timeRange}
            onValue={address.setValue}
            onSpan={zoom}
          />
        )}
      </div>
    </>
  )
}

/** The widths of histories in px, so that they have no more buckets than pixels. */
function widthsOf({ items }: Page): Readonly<Record<string, number>> {
  const column = Math.max(320, Math.min(innerWidth, 1920)) / COLUMNS
  return Object.fromEntries(items.map(({ widget, w }) => [widget, Math.max(200, Math.round(w * column))]))
}

function crumbsOf({ group, dashboard }: Nested) {
  return [
    { text: t('boards.title'), href: linkTo('dashboards') },
    ...(group
      ? [
          {
            text: group.path.join(' / ') || t('boards.group'),
            href: linkTo('dashboards', { group: dashboard.groupId }),
          },
        ]
      : []),
  ]
}

function refusedEditing(dashboard: Dashboard): string | undefined {
  if (dashboard.managedBy !== '') return t('boards.managedByCode', { origin: dashboard.managedBy })
  return refusedWriting(dashboard)
}

function Actions({
  nested,
  params,
  shown,
}: {
  readonly nested: Nested
  readonly params: Values
  readonly shown: ShownData
}): JSX.Element {
  const { dashboard } = nested
  const { route } = useLocation()
  return (
    <>
      <Button icon="link" action={() => copyText(location.href)}>
        {t('boards.copyLink')}
      </Button>
      <Button
        icon="edit"
        refused={refusedEditing(dashboard)}
        onClick={() => route(location.pathname + withField(location.search, 'edit', 'true'))}
      >
        {t('boards.edit')}
      </Button>
      <a class="btn" href={linkTo('wall', { dashboards: dashboard.id, every: 30 })}>
        {t('nav.wall')}
      </a>
      <MoreMenu nested={nested} params={params} shown={shown} />
    </>
  )
}

function Badges({ dashboard }: { readonly dashboard: Dashboard }): JSX.Element {
  return (
    <>
      {dashboard.public && <span class="chip">{t('boards.isPublic')}</span>}{' '}
      {!dashboard.valid && <State state="warning" text={t('boards.invalid')} />}
    </>
  )
}

type FieldsProps = {
  readonly nested: Nested
  readonly page: Page | undefined
  readonly values: Values
  readonly address: ReturnType<typeof useAddress>
}

/** The parameters that no widget of the page sets, the range of time, and the pages. */
function Fields({ nested, page, values, address }: FieldsProps): JSX.Element | null {
  const { definition } = nested.dashboard
  const placed = (page?.items ?? []).flatMap(({ widget }) => definition.widgets[widget] ?? [])
  const drawn = new Set(placed.flatMap((one) => (one.kind === 'input' ? [one.parameter] : [])))
  const parameters = definition.parameters.filter(({ name, hidden }) => !hidden && !drawn.has(name))
  const hasTime = placed.some(({ kind }) => OF_TIME.has(kind))
  if (parameters.length === 0 && !hasTime && definition.pages.length < 2) return null
  return (
    <div class="board-fields">
      {definition.pages.length > 1 && page && (
        <Segments
          label={t('boards.pages')}
          value={page.id}
          options={definition.pages.map(({ id, title }) => ({ value: id, text: title || id }))}
          onChange={address.setPage}
        />
      )}
      {parameters.map((parameter) => (
        <ParameterField
          key={parameter.name}
          parameter={parameter}
          value={values[parameter.name] ?? null}
          found={null}
          onValue={(value) => address.setValue(parameter.name, value)}
        />
      ))}
      {hasTime && <Range given={address.timeRange} own={definition.timeRange} onRange={address.setRange} />}
    </div>
  )
}

function Range({
  given,
  own,
  onRange,
}: {
  readonly given: TimeRange | null
  readonly own: TimeRange
  readonly onRange: FieldsProps['address']['setRange']
}): JSX.Element {
  const shown = given ?? own
  const isRelative = shown.to === 'now' && shown.from.startsWith('-')
  const all = isRelative && !RANGES.includes(shown.from) ? [...RANGES, shown.from] : RANGES
  return (
    <Segments
      label={t('boards.range')}
      value={isRelative ? shown.from : ''}
      options={all.map((from) => ({ value: from, text: spanText(from) }))}
      onChange={(from) =>
        onRange(from === own.from && own.to === 'now' ? { from: null, to: null } : { from, to: null })
      }
    />
  )
}
