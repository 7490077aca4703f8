import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'

import { onEvents } from '../api/events.ts'
import { t } from '../language/t.ts'
import { announced, withEvent } from './announcement.ts'
import type { NewAlarms } from './announcement.ts'

/** Alarms that come together are one sentence. */
const GATHER_MS = 500
/** A sentence has this time before the next one. */
const PACE_MS = 10_000

/** Announces new major and minor alarms to a screen reader, by one sentence in ten seconds at most. */
export function Announcer(): JSX.Element {
  const [text, setText] = useState('')
  useEffect(() => {
    let alarms: NewAlarms = new Map()
    let timer: ReturnType<typeof setTimeout> | null = null
    let announcedAt = -PACE_MS
    const announce = (): void => {
      timer = null
      const found = announced(alarms)
      alarms = new Map()
      if (found === null) return
      announcedAt = performance.now()
      setText(t('shell.newAlarms', { ...found, worst: t(`state.${found.worst}`) }))
    }
    const stop = onEvents(['alarm'], (event) => {
      alarms = withEvent(alarms, event)
      timer ??= setTimeout(announce, Math.max(GATHER_MS, announcedAt + PACE_MS - performance.now()))
    })
    return () => {
      stop()
      if (timer !== null) clearTimeout(timer)
    }
  }, [])
  return (
    <div class="vh announcer" aria-live="assertive">
      {text}
    </div>
  )
}
