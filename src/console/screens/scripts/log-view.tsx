import type { JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

import { Button } from '../../kit/controls.tsx'
import { copyText } from '../../kit/data.tsx'
import { FailureNote } from '../../kit/feedback.tsx'
import { saveFile } from '../../kit/save-file.ts'
import { timeText } from '../../kit/time.tsx'
import { Windowed } from '../../kit/windowed.tsx'
import { t } from '../../language/t.ts'
import { lineClass } from './log.ts'
import type { LogLine } from './log.ts'
import { useLog } from './use-log.ts'

const ROW_PX = 20
/** The reader is at the end of the log when fewer pixels are below. */
const END_PX = 2 * ROW_PX

type Props = {
  readonly script: string
  readonly jobId: string
  readonly isActive: boolean
  readonly onEnd: () => void
}

/** The log of a run as it is written. Scrolling up stops following; a button counts the new lines and follows again. */
export function LogView({ script, jobId, isActive, onEnd }: Props): JSX.Element {
  const { lines, hasEnded, failure } = useLog(script, jobId, onEnd)
  const [search, setSearch] = useState('')
  const [seen, setSeen] = useState<number | null>(null)
  const end = useRef(0)
  const frame = useRef<HTMLDivElement>(null)
  const shown = search === '' ? lines : lines.filter(({ text }) => isHit(text, search))
  const last = lines.at(-1)?.n ?? 0
  useEffect(() => {
    const view = frame.current?.querySelector('.windowed')
    if (seen !== null || !view) return
    // New lines may be painted before the event of a scroll arrives.
    if (view.scrollTop < end.current - END_PX) return setSeen(last)
    view.scrollTop = view.scrollHeight
    end.current = view.scrollTop
  }, [shown.length, seen])
  const scrolled = (view: HTMLElement): void => {
    const isAtEnd = view.scrollHeight - view.scrollTop - view.clientHeight < END_PX
    if (isAtEnd) {
      end.current = view.scrollTop
      setSeen(null)
    } else if (seen === null) setSeen(last)
  }
  const toEnd = (): void => {
    end.current = 0
    setSeen(null)
  }
  const text = (): string => lines.map((line) => line.text).join('\n')
  return (
    <div class="log-frame" ref={frame}>
      <div class="row wrap">
        <input
          class="input search-box"
          type="search"
          aria-label={t('scripts.searchLog')}
          placeholder={t('scripts.searchLog')}
          value={search}
          onInput={(event) => {
            end.current = 0
            setSearch(event.currentTarget.value)
          }}
        />
        {search !== '' && <span class="label">{t('scripts.hits', { count: shown.length })}</span>}
        <span class="end row">
          <Button small icon="copy" action={() => copyText(text())}>
            {t('kit.copy')}
          </Button>
          <Button
            small
            icon="download"
            action={() => saveFile(async () => new Response(text()), `${jobId}.log`)}
          >
            {t('scripts.download')}
          </Button>
        </span>
      </div>
      {failure && <FailureNote failure={failure} what={t('scripts.failedLog')} />}
      {lines.length === 0 ? (
        <p class="log faint pad">{t(isActive && !hasEnded ? 'scripts.logWaits' : 'scripts.logEmpty')}</p>
      ) : (
        <Windowed
          class="log"
          role="log"
          aria-live="off"
          aria-label={t('scripts.log')}
          tabIndex={0}
          count={shown.length}
          rowPx={ROW_PX}
          onScroll={(event: Event) => scrolled(event.currentTarget as HTMLElement)}
          row={(at) => <Line key={shown[at]?.n} line={shown[at] as LogLine} />}
        />
      )}
      {last > lines.length && <p class="label">{t('scripts.dropped', { count: last - lines.length })}</p>}
      {seen !== null && (
        <Button small kind="primary" icon="downArrow" class="btn small primary to-end" onClick={toEnd}>
          {last > seen ? t('scripts.newLines', { count: last - seen }) : t('scripts.toEnd')}
        </Button>
      )}
    </div>
  )
}

function Line({ line }: { readonly line: LogLine }): JSX.Element {
  return (
    <div class="line">
      <span aria-hidden="true">{line.n}</span>
      <time class="hide-s">{timeText(line.at, true)}</time>
      <span class={lineClass(line)}>{line.text}</span>
    </div>
  )
}

function isHit(text: string, search: string): boolean {
  return text.toLowerCase().includes(search.toLowerCase())
}
