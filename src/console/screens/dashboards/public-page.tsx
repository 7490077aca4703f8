import type { JSX } from 'preact'
import { useLocation } from 'preact-iso'
import { useEffect } from 'preact/hooks'

import type { Answer } from '../../api/client.ts'
import { useUrl } from '../../api/resource.ts'
import { FailureNote, Skeleton } from '../../kit/feedback.tsx'
import { Mark } from '../../kit/icons.tsx'
import { BASE } from '../../kit/location.ts'
import { addStyles } from '../../kit/own-styles.ts'
import { t } from '../../language/t.ts'
import dataStyles from '../data/data.css' with { type: 'text' }
import { addressOf, withField, withValue } from './address.ts'
import { Board } from './board.tsx'
import type { Dashboard, Nested } from './dashboard.ts'
import styles from './dashboards.css' with { type: 'text' }
import { ParameterField } from './parameter-field.tsx'
import { useData } from './use-data.ts'
import { IsPublic } from './widgets/object-way.tsx'

addStyles(dataStyles)
addStyles(styles)

type Frame = Answer<'/public/dashboards/{token}/frame'>

/** A dashboard under its secret link. It needs no login, and has no controls that change data. */
export function PublicPage(): JSX.Element {
  const { path } = useLocation()
  const token = path.slice(`${BASE}public/`.length)
  const frame = useUrl<Frame>(`/public/dashboards/${encodeURIComponent(token)}/frame`)
  return (
    <main class="body" id="main">
      <p class="row label">
        <span class="public-mark">
          <Mark />
        </span>
        Tidemark
      </p>
      {frame.data && (
        <IsPublic.Provider value>
          <Shown frame={frame.data} token={token} />
        </IsPublic.Provider>
      )}
      {!frame.data && frame.failure && (
        <FailureNote failure={frame.failure} what={t('boards.noPublic')} isPage retry={frame.reload} />
      )}
      {!frame.data && !frame.failure && <Skeleton lines={12} />}
    </main>
  )
}

function Shown({ frame, token }: { readonly frame: Frame; readonly token: string }): JSX.Element {
  const { url, route } = useLocation()
  const nested = nestedOf(frame)
  const { dashboard } = nested
  const { definition } = dashboard
  const parameters = definition.parameters.filter(({ name }) => frame.adjustable.includes(name))
  const address = addressOf(url.includes('?') ? url.slice(url.indexOf('?')) : '', parameters)
  const page = definition.pages.find(({ id }) => id === address.page) ?? definition.pages[0]
  const data = useData({ id: 0, token, values: address.values, timeRange: null, page: null, width: {} })
  const go = (search: string): void => route(location.pathname + search, true)
  useEffect(() => {
    document.title = `${frame.name} · Tidemark`
  }, [frame.name])
  return (
    <>
      <h1>{frame.name}</h1>
      {frame.description !== '' && <p>{frame.description}</p>}
      <div class="board-fields">
        {parameters.map((parameter) => (
          <ParameterField
            key={parameter.name}
            parameter={parameter}
            value={(data.params ?? nested.params)[parameter.name] ?? null}
            found={null}
            onValue={(value) => go(withValue(location.search, parameter.name, value))}
          />
        ))}
        {definition.pages.length > 1 &&
          definition.pages.map(({ id, title }) => (
            <a key={id} class="btn" href={location.pathname + withField(location.search, 'page', id)}>
              {title || id}
            </a>
          ))}
      </div>
      {data.failure && data.readAt === null && (
        <FailureNote failure={data.failure} retry={data.reload} what={t('boards.failedData')} />
      )}
      {page && (
        <Board
          dashboard={dashboard}
          nested={nested}
          page={page}
          data={data}
          timeRange={null}
          onValue={(name, value) => go(withValue(location.search, name, value))}
          onSpan={() => undefined}
        />
      )}
    </>
  )
}

/** A public dashboard as the board takes it: it names nothing beside itself. */
function nestedOf({ name, description, definition, params }: Frame): Nested {
  const dashboard = {
    id: 0,
    name,
    description,
    definition,
    valid: true,
    permissions: { read: true, write: false, execute: false },
  } as unknown as Dashboard
  return {
    dashboard,
    group: null,
    params,
    children: [],
    objects: {},
    dataQueries: {},
    scripts: {},
    dashboards: {},
    hidden: { objects: [], dashboards: [] },
  }
}
