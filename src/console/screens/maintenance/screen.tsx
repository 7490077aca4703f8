import type { JSX } from 'preact'
import { useMemo, useState } from 'preact/hooks'

import { Button, IconButton, Kbd, Segments } from '../../kit/controls.tsx'
import { Empty, Note, Show, Skeleton } from '../../kit/feedback.tsx'
import { useQuery } from '../../kit/location.ts'
import { addStyles } from '../../kit/own-styles.ts'
import { now, timeZone } from '../../kit/time.tsx'
import { useMedia } from '../../kit/use-media.ts'
import { t } from '../../language/t.ts'
import { Agenda } from './agenda.tsx'
import { dayOf, daysOfMonth, daysOfWeek, instantOf, shiftDay, shiftMonth, startOf } from './days.ts'
import type { Day } from './days.ts'
import { Details } from './details.tsx'
import type { Draft } from './drag.ts'
import { EditDialog } from './form-dialog.tsx'
import styles from './maintenance.css' with { type: 'text' }
import { MonthGrid } from './month-grid.tsx'
import { occurrencesOf } from './listed.ts'
import type { Entry, Occurrence } from './occurrences.ts'
import { Present } from './present.tsx'
import type { Span } from './schedule.ts'
import { ScopeDialog } from './scope-dialog.tsx'
import { dayName, daysName, spanText, zoneName } from './texts.ts'
import { useCalendar } from './use-calendar.ts'
import { useMoves } from './use-moves.ts'
import { WeekGrid } from './week-grid.tsx'

addStyles(styles)

const VIEWS = ['month', 'week', 'agenda'] as const
type View = (typeof VIEWS)[number]
const HOUR_MS = 3_600_000

/** The calendar of maintenance and corrections below the root: a month, a week or a list, and the way to plan. */
export function Screen(): JSX.Element {
  const { view, zone, days, ...place } = usePlace()
  const [edited, setEdited] = useState<Span | Entry | null>(null)
  const [shown, setShown] = useState<Occurrence | null>(null)
  const begin = startOf(days[0] ?? '', zone)
  const end = startOf(shiftDay(days.at(-1) ?? '', 1), zone)
  const calendar = useCalendar(begin, end)
  const occurrences = useMemo(
    () => occurrencesOf(calendar.data?.items ?? [], { begin, end }),
    [calendar.data, begin, end],
  )
  const planOn = (day: Day): void => {
    const evening = instantOf(`${day}T22:00`, zone)
    setEdited({ begin: evening, end: evening + 2 * HOUR_MS })
  }
  const {
    shown: drawn,
    moves,
    ...series
  } = useMoves({
    zone,
    occurrences,
    onPlan: (from, to) => setEdited({ begin: from, end: to }),
    onEdit: setEdited,
  })
  const common = { days, zone, occurrences: drawn, today: place.today, onShow: setShown }
  return (
    <>
      <Head {...place} view={view} zone={zone} days={days} onPlan={() => planOn(place.today)} />
      <div class="body">
        <Present />
        {calendar.data?.nextCursor && (
          <Note kind="warning">{t('maintenance.tooMany', { count: calendar.data.items.length })}</Note>
        )}
        <Show
          resource={calendar}
          what={t('maintenance.failed')}
          skeleton={<Skeleton lines={8} height="30rem" />}
        >
          {() => (
            <>
              {view === 'month' && (
                <MonthGrid
                  {...common}
                  month={place.month}
                  moves={moves}
                  onPlan={planOn}
                  onMonth={place.onMove}
                  onWeek={(day) => place.onGo(day, 'week')}
                />
              )}
              {view === 'week' && (
                <WeekGrid
                  {...common}
                  moves={moves}
                  onPlan={(from, to) => setEdited({ begin: from, end: to })}
                  onWeek={place.onMove}
                  onList={(day) => place.onGo(day, 'agenda')}
                />
              )}
              {view === 'agenda' &&
                (occurrences.length === 0 ? (
                  <section class="card">
                    <Empty
                      title={t('maintenance.empty')}
                      action={<Button onClick={() => planOn(place.today)}>{t('maintenance.plan')}</Button>}
                    />
                  </section>
                ) : (
                  <Agenda key={days[0]} {...common} />
                ))}
              {view !== 'agenda' && <Legend draft={moves.draft} zone={zone} />}
            </>
          )}
        </Show>
      </div>
      {edited !== null && <EditDialog of={edited} zone={zone} onClose={() => setEdited(null)} />}
      {series.asked && (
        <ScopeDialog draft={series.asked} zone={zone} onSave={series.saveSeries} onClose={series.close} />
      )}
      {shown && (
        <Details
          occurrence={shown}
          zone={zone}
          onEdit={() => {
            setEdited(shown.entry)
            setShown(null)
          }}
          onClose={() => setShown(null)}
        />
      )}
    </>
  )
}

/** The view, the days and the zone in the address of the page, and how to go elsewhere. Narrow windows have the list alone. */
function usePlace() {
  const isNarrow = useMedia('(max-width: 52rem)')
  const [clock, setClock] = useQuery<'local' | 'UTC'>('zone', 'local')
  const zone = clock === 'UTC' ? 'UTC' : timeZone.value
  const today = dayOf(now.value, zone)
  const [at, setAt] = useQuery('at', today.slice(0, 7))
  const [chosen, setView] = useQuery<View>('view', 'month')
  const view = isNarrow ? 'agenda' : chosen
  const month = at.slice(0, 7)
  const day = dayIn(at, today)
  const onGo = (to: Day, next: View): void => {
    setView(next)
    setAt(to)
  }
  const onMove = (by: number): void => setAt(view === 'week' ? shiftDay(day, by * 7) : shiftMonth(month, by))
  return {
    view,
    zone,
    clock,
    today,
    month,
    days: daysOf(view, month, day),
    onGo,
    onMove,
    onToday: () => setAt(view === 'week' ? today : today.slice(0, 7)),
    onView: setView,
    onClock: setClock,
  }
}

/** The day of an address: itself, today in its month, or the first of its month. */
function dayIn(at: string, today: Day): Day {
  if (at.length > 7) return at
  return today.startsWith(at) ? today : `${at}-01`
}

/** The days that a view shows. A list from a day on ends with its month. */
function daysOf(view: View, month: string, day: Day): readonly Day[] {
  if (view === 'week') return daysOfWeek(day)
  const days = daysOfMonth(month)
  return view === 'month' ? days : days.filter((one) => one.startsWith(month))
}

type HeadProps = Omit<ReturnType<typeof usePlace>, 'onGo'> & { readonly onPlan: () => void }

function Head({ view, month, days, zone, clock, ...props }: HeadProps): JSX.Element {
  const isWeek = view === 'week'
  return (
    <header class="head">
      <h1>{t('nav.maintenance')}</h1>
      <span class="row wrap">
        <IconButton
          icon="chevron"
          class="btn ghost icon back"
          label={t(isWeek ? 'maintenance.weekBefore' : 'maintenance.before')}
          onClick={() => props.onMove(-1)}
        />
        <b class="month-name">
          {isWeek ? daysName(days) : dayName(`${month}-01`, { month: 'long', year: 'numeric' })}
        </b>
        <IconButton
          icon="chevron"
          label={t(isWeek ? 'maintenance.weekAfter' : 'maintenance.after')}
          onClick={() => props.onMove(1)}
        />
        <Button small onClick={props.onToday}>
          {t('maintenance.today')}
        </Button>
      </span>
      <span class="wide-only">
        <Segments
          label={t('maintenance.view')}
          value={view}
          onChange={(value) => props.onView(value)}
          options={VIEWS.map((value) => ({ value, text: t(`maintenance.view.${value}`) }))}
        />
      </span>
      {timeZone.value === 'UTC' ? (
        <span class="label">{zone}</span>
      ) : (
        <Segments
          label={t('maintenance.clock')}
          value={clock}
          onChange={(value) => props.onClock(value)}
          options={[
            { value: 'local', text: zoneName(timeZone.value) },
            { value: 'UTC', text: 'UTC' },
          ]}
        />
      )}
      <span class="end">
        <Button kind="primary" icon="plus" onClick={props.onPlan}>
          {t('maintenance.plan')}
        </Button>
      </span>
    </header>
  )
}

function Legend({ draft, zone }: { readonly draft: Draft | null; readonly zone: string }): JSX.Element {
  return (
    <p class="row wrap label">
      <span class="legend">
        {(['running', 'planned', 'over'] as const).map((phase) => (
          <span key={phase}>
            <i class={`ev maintenance ${phase}`} />
            {t(`maintenance.phase.${phase}`)}
          </span>
        ))}
      </span>
      <span class="end" role="status">
        {draft ? (
          <b>{spanText(draft, zone)}</b>
        ) : (
          <>
            {t('maintenance.planBy')} <Kbd>N</Kbd>
          </>
        )}
      </span>
    </p>
  )
}
