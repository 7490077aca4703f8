import { createContext } from 'preact'
import type { ComponentChildren, JSX } from 'preact'
import { useContext, useEffect, useState } from 'preact/hooks'

import type { Failure, Subject } from '../api/failure.ts'
import type { Resource } from '../api/resource.ts'
import { user } from '../api/session.ts'
import { faultText } from '../language/problems.ts'
import { t } from '../language/t.ts'
import { Button } from './controls.tsx'
import { Icon } from './icons.tsx'
import type { IconName } from './icons.tsx'
import { linkTo } from './location.ts'
import { percentText } from './numbers.ts'
import { Ago } from './time.tsx'

/** Nothing is shown for this long while data load; then skeletons. */
const PATIENCE_MS = 150
/** After this long the page says that it still works. */
const SLOW_MS = 8_000

/** Lines in the place of content that is being read. While a screen opens, the parts below one without a height stay hidden, since
 * the content would move them. */
export function Skeleton({
  lines = 3,
  height,
}: {
  readonly lines?: number
  readonly height?: string
}): JSX.Element {
  const isShown = useAfter(PATIENCE_MS)
  const isSlow = useAfter(SLOW_MS)
  return (
    <div
      class={height === undefined ? 'skeleton unsized' : 'skeleton'}
      aria-busy="true"
      style={height === undefined ? {} : { minHeight: height }}
    >
      <span class="vh" role="status">
        {isSlow ? t('feedback.slow') : t('feedback.loading')}
      </span>
      {Array.from({ length: lines }, (_, line) => (
        <span
          key={line}
          class="skel"
          style={{ width: `${88 - ((line * 29) % 50)}%`, ...(isShown ? {} : { visibility: 'hidden' }) }}
        />
      ))}
      {isSlow && <span class="label">{t('feedback.slow')}</span>}
    </div>
  )
}

/** The place of a part that may not come, while what decides it is being read. It takes no room; while a screen opens, the parts
 * below it stay hidden. */
export function Undecided(): JSX.Element {
  return <span class="skeleton unsized" hidden />
}

function useAfter(ms: number): boolean {
  const [isOver, setOver] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setOver(true), ms)
    return () => clearTimeout(timer)
  }, [ms])
  return isOver
}

/** Nothing to show: why, and the one thing to do about it. */
export function Empty({
  title,
  text,
  action,
}: {
  readonly title: string
  readonly text?: string
  readonly action?: ComponentChildren
}): JSX.Element {
  return (
    <div class="empty">
      <Water />
      <p class="title">{title}</p>
      {text && <p>{text}</p>}
      {action}
    </div>
  )
}

/** Calm water: all is well, or nothing is there yet. */
export function Water(): JSX.Element {
  return (
    <svg viewBox="0 0 80 32" aria-hidden="true">
      <path d="M0 20c7 0 7-5 13-5s7 5 13 5 7-5 14-5 7 5 13 5 7-5 13-5 7 5 14 5" />
      <path d="M12 28c5 0 5-3 10-3s5 3 10 3 5-3 10-3 5 3 10 3 5-3 10-3" opacity=".5" />
    </svg>
  )
}

/** A message that stays: what happened and what to do. */
export function Note({
  kind = 'info',
  icon = 'info',
  children,
  action,
  role,
}: {
  readonly kind?: 'info' | 'ok' | 'warning' | 'minor' | 'major' | 'maint'
  readonly icon?: IconName
  readonly children: ComponentChildren
  readonly action?: ComponentChildren
  readonly role?: 'alert' | 'status'
}): JSX.Element {
  return (
    <div class="note" data-st={kind} {...(role ? { role } : {})}>
      <Icon name={icon} />
      <div class="grow">{children}</div>
      {action}
    </div>
  )
}

/** A read that failed: what failed, again, and the id of the request. */
export function FailureNote({
  failure,
  retry,
  what,
  isPage = false,
}: {
  readonly failure: Failure
  readonly retry?: () => void
  readonly what?: string
  /** True where the failure stands for the page, whose heading it has then. */
  readonly isPage?: boolean
}): JSX.Element {
  const Title = isPage ? 'h1' : 'b'
  if (failure.status === 403)
    return <NoRight detail={<Reason failure={failure} />} object={failure.object} isPage={isPage} />
  return (
    <Note
      kind="major"
      role="alert"
      action={
        retry && (
          <Button small icon="refresh" onClick={retry}>
            {t('feedback.again')}
          </Button>
        )
      }
    >
      <Title>{what ?? t('feedback.failed')}</Title>
      {isPage && failure.status === 404 ? <div>{t('feedback.notThere')}</div> : <Reason failure={failure} />}
      {failure.requestId && <RequestId id={failure.requestId} />}
    </Note>
  )
}

/** Why a request failed: a sentence, and the detail of the API where it says more in its own language. */
function Reason({ failure }: { readonly failure: Failure }): JSX.Element {
  const { status, code, message, original } = failure
  if (status === 0) return <div>{t('feedback.unreachable')}</div>
  if (code === 'storage_full') return <div>{t('feedback.storageFull')}</div>
  return (
    <>
      <div>{message}</div>
      {original !== null && (
        <div class="label" lang="en">
          {original}
        </div>
      )}
    </>
  )
}

/** A reason that the service has stored, in the language of the page; one without a translation stays in English. */
export function StoredReason({ reason }: { readonly reason: string }): JSX.Element {
  const text = faultText(reason)
  return <div lang={text === reason ? 'en' : undefined}>{text}</div>
}

function RequestId({ id }: { readonly id: string }): JSX.Element {
  return (
    <div class="label">
      {t('feedback.requestId')} <code>{id}</code>
    </div>
  )
}

/** A right is missing: which one, and a link to the page that explains the rights of the user on the object. */
export function NoRight({
  detail,
  object = null,
  isPage = false,
}: {
  readonly detail: ComponentChildren
  readonly object?: Subject | null
  /** True where the note stands for the page, whose heading it has then. */
  readonly isPage?: boolean
}): JSX.Element {
  const Title = isPage ? 'h1' : 'b'
  return (
    <Note
      kind="info"
      icon="lock"
      action={
        user.value && (
          <a class="btn small" href={linkTo('users/explain', { userId: user.value.id, ...object })}>
            {t('feedback.why')}
          </a>
        )
      }
    >
      <Title>{t('feedback.noRight')}</Title>
      <div>{detail}</div>
    </Note>
  )
}

/** The completed share of some work.
 * @param value from 0 to 1; null while that is unknown */
export function Progress({
  value,
  label,
}: {
  readonly value: number | null
  readonly label: string
}): JSX.Element {
  if (value === null)
    return (
      <p class="row" role="status">
        <span class="spin" aria-hidden="true" />
        {label}
      </p>
    )
  return (
    <div class="row">
      <div
        class="bar grow"
        role="progressbar"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(value * 100)}
      >
        <i style={{ width: `${value * 100}%` }} />
      </div>
      <b>{percentText(value)}</b>
    </div>
  )
}

/** Data that could not be confirmed: their age. */
export function Stale({
  failure,
  readAt,
  retry,
}: {
  readonly failure: Failure
  readonly readAt: number
  readonly retry: () => void
}): JSX.Element {
  return (
    <p class="stale label" role="status">
      <Icon name="clock" />
      <span>
        {failure.message} {t('feedback.lastRead')} <Ago at={readAt} />
      </span>
      <Button small kind="ghost" icon="refresh" onClick={retry}>
        {t('feedback.again')}
      </Button>
    </p>
  )
}

/** The age of the oldest of the resources whose last read failed, above the data that a page keeps of them. */
export function StaleOf({
  resources,
}: {
  readonly resources: readonly Resource<unknown>[]
}): JSX.Element | null {
  const failed = resources.filter(({ failure, readAt }) => failure !== null && readAt !== null)
  const [oldest] = failed.toSorted((a, b) => Number(a.readAt) - Number(b.readAt))
  if (!oldest?.failure || oldest.readAt === null) return null
  const retry = (): void => failed.forEach(({ reload }) => reload())
  return <Stale failure={oldest.failure} readAt={oldest.readAt} retry={retry} />
}

/** The key of a part whose head grows with its data: the part is made anew with them, since a part that stays would move. */
export const readKey = (data: unknown): string => (data ? 'read' : 'reading')

/** Whether a part around this one gives the age of stale data already. */
const IsStale = createContext(false)

/** Draws a resource in each of its states: loading, failed, no right, stale, loaded. */
export function Show<T>({
  resource,
  children,
  skeleton = <Skeleton />,
  what,
  isPage = false,
}: {
  readonly resource: Resource<T>
  readonly children: (data: T) => ComponentChildren
  readonly skeleton?: ComponentChildren
  /** The title of a failure, such as "Alarms could not be read". */
  readonly what?: string
  /** True where the resource is what the page shows. */
  readonly isPage?: boolean
}): JSX.Element {
  const { data, failure, readAt, reload } = resource
  const isAroundStale = useContext(IsStale)
  if (data === undefined || failure?.isGone) {
    if (failure)
      return (
        <FailureNote
          failure={failure}
          retry={reload}
          isPage={isPage}
          {...(what === undefined ? {} : { what })}
        />
      )
    return (
      <>
        {isPage && <h1 class="vh">{t('feedback.loading')}</h1>}
        {skeleton}
      </>
    )
  }
  const isStale = failure !== null && readAt !== null
  return (
    <IsStale.Provider value={isAroundStale || isStale}>
      {isStale && !isAroundStale && <Stale failure={failure} readAt={readAt} retry={reload} />}
      {children(data)}
    </IsStale.Provider>
  )
}
