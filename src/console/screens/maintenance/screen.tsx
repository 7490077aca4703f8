import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

import { useGet } from '../../api/resource.ts'
import { Button, IconButton, Segments } from '../../kit/controls.tsx'
import { Empty, Show, Skeleton } from '../../kit/feedback.tsx'
import { useQuery } from '../../kit/location.ts'
import { now, timeText, timeZone } from '../../kit/time.tsx'
import { language, t } from '../../language/t.ts'
import { Agenda } from './agenda.tsx'
import { EntryDialog } from './entry-dialog.tsx'
import { dayOf, daysOfMonth, instantOf, shiftMonth } from './month.ts'
import { occurrencesOf } from './occurrences.ts'
import type { Entry, Occurrence } from './occurrences.ts'
import { MonthGrid } from './month-grid.tsx'
import { PlanDialog } from './plan-dialog.tsx'

/** The calendar of maintenance and corrections below the root: a month or an agenda, and the way to plan. */
export function Screen(): JSX.Element {
  const zone = timeZone.value
  const today = dayOf(now.value, zone)
  const [month, setMonth] = useQuery('at', today.slice(0, 7))
  const [view, setView] = useQuery<'month' | 'agenda'>('view', 'month')
  const [planned, setPlanned] = useState<string | null>(null)
  const [shown, setShown] = useState<Entry | null>(null)
  const days = daysOfMonth(month)
  const calendar = useGet('/{parentType}/{parentId}/revaluation-calendar', {
    path: { parentType: 'group', parentId: 1 },
    query: {
      begin: new Date(instantOf(`${days[0]}T00:00`, zone)).toISOString(),
      end: new Date(instantOf(`${days.at(-1)}T23:59`, zone)).toISOString(),
      edit: true,
      limit: 200,
    },
  })
  const occurrences = occurrencesOf(calendar.data?.items ?? [])
  const running = occurrences.filter(({ begin, end }) => begin <= now.value && end > now.value)
  const name = new Intl.DateTimeFormat(language.value, { month: 'long', year: 'numeric', timeZone: 'UTC' })
  return (
    <>
      <header class="head">
        <h1>{t('nav.maintenance')}</h1>
        <span class="row">
          <IconButton
            icon="chevron"
            class="btn ghost icon back"
            label={t('maintenance.before')}
            onClick={() => setMonth(shiftMonth(month, -1))}
          />
          <b class="month-name">{name.format(new Date(`${month}-01T00:00:00Z`))}</b>
          <IconButton
            icon="chevron"
            label={t('maintenance.after')}
            onClick={() => setMonth(shiftMonth(month, 1))}
          />
          <Button small onClick={() => setMonth(today.slice(0, 7))}>
            {t('maintenance.today')}
          </Button>
        </span>
        <Segments
          label={t('maintenance.view')}
          value={view}
          onChange={(value) => setView(value)}
          options={(['month', 'agenda'] as const).map((value) => ({
            value,
            text: t(`maintenance.view.${value}`),
          }))}
        />
        <span class="label">{zone}</span>
        <span class="end">
          <Button kind="primary" icon="plus" onClick={() => setPlanned(today)}>
            {t('maintenance.plan')}
          </Button>
        </span>
      </header>
      <div class="body">
        {calendar.data && <p class="say">{sentenceOf(running, occurrences)}</p>}
        <Show
          resource={calendar}
          what={t('maintenance.failed')}
          skeleton={<Skeleton lines={8} height="30rem" />}
        >
          {() => (
            <>
              <div class="wide-only" hidden={view === 'agenda'}>
                <MonthGrid
                  days={days}
                  month={month}
                  today={today}
                  occurrences={occurrences}
                  onPlan={setPlanned}
                  onShow={setShown}
                  onMonth={(by) => setMonth(shiftMonth(month, by))}
                />
              </div>
              <div class={view === 'agenda' ? '' : 'narrow-only'}>
                {occurrences.length === 0 ? (
                  <section class="card">
                    <Empty
                      title={t('maintenance.empty')}
                      action={<Button onClick={() => setPlanned(today)}>{t('maintenance.plan')}</Button>}
                    />
                  </section>
                ) : (
                  <Agenda occurrences={occurrences} onShow={setShown} />
                )}
              </div>
            </>
          )}
        </Show>
      </div>
      {planned !== null && <PlanDialog day={planned} onClose={() => setPlanned(null)} />}
      {shown && <EntryDialog entry={shown} onClose={() => setShown(null)} />}
    </>
  )
}

/** The maintenance that runs now, or the next one. */
function sentenceOf(running: readonly Occurrence[], all: readonly Occurrence[]): string {
  const [first] = running
  if (first)
    return t('maintenance.running', {
      count: running.length,
      name: first.entry.object.name,
      time: timeText(first.end),
    })
  const next = all.find(({ begin }) => begin > now.value)
  return next
    ? t('maintenance.next', { name: next.entry.object.name, time: timeText(next.begin) })
    : t('maintenance.none')
}
