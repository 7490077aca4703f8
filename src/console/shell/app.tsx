import type { JSX } from 'preact'
import { ErrorBoundary, lazy, LocationProvider, Route, Router, useLocation } from 'preact-iso'
import { useEffect } from 'preact/hooks'

import { owedAction, sessionStatus } from '../api/session.ts'
import { FailureNote } from '../kit/feedback.tsx'
import { BASE, linkTo } from '../kit/location.ts'
import { ToastLine } from '../kit/toast-line.tsx'
import { asFailure } from '../api/failure.ts'
import { t } from '../language/t.ts'
import { LoginDialog, LoginPage } from './login.tsx'
import { SetupPage } from './setup.tsx'
import { OwedPage } from './owed.tsx'
import { loadPublic, SCREENS } from './routes.ts'
import { Shell } from './shell.tsx'

/** The console: the pages before sign-in, then the shell with one screen. */
export function App(): JSX.Element {
  return (
    <LocationProvider scope={BASE}>
      <ErrorBoundary onError={reportError}>
        <Page />
      </ErrorBoundary>
      <ToastLine />
    </LocationProvider>
  )
}

/** Dashboards under a secret link need no login. */
const PUBLIC = 'public/'
const PublicPage = lazy(loadPublic)

function Page(): JSX.Element | null {
  const { path, route, query } = useLocation()
  const below = path.startsWith(BASE) ? path.slice(BASE.length) : ''
  const isSignedIn = sessionStatus.value === 'in' || sessionStatus.value === 'over'
  const isEntrance = below === 'login' || below === 'setup' || below.startsWith(PUBLIC)
  useEffect(() => {
    if (sessionStatus.value === 'out' && !isEntrance)
      route(linkTo('login', below === '' ? {} : { to: below + location.search }), true)
    if (isSignedIn && below === 'login') route(returnTo(query['to'] ?? query['returnTo']), true)
  }, [sessionStatus.value, below])
  if (below === 'setup') return <SetupPage />
  if (below.startsWith(PUBLIC)) return <PublicPage />
  if (sessionStatus.value === 'starting') return null
  if (!isSignedIn) return <LoginPage />
  if (owedAction.value !== null) return <OwedPage />
  if (isEntrance) return null
  return (
    <>
      <Screens path={path} />
      {sessionStatus.value === 'over' && <LoginDialog />}
    </>
  )
}

/** Where a login goes on to: only screens of the console. */
function returnTo(to: string | undefined): string {
  const url = new URL(to ?? '', document.baseURI)
  return url.origin === location.origin && url.pathname.startsWith(BASE) ? url.pathname + url.search : BASE
}

function Screens({ path }: { readonly path: string }): JSX.Element {
  const router = (
    <Router>
      {SCREENS.flatMap(({ paths, screen }) =>
        paths.map((one) => <Route key={paths[0]} path={BASE.slice(0, -1) + one} component={screen} />),
      )}
      <Route default component={NoScreen} />
    </Router>
  )
  return path === `${BASE}wall` ? router : <Shell>{router}</Shell>
}

function NoScreen(): JSX.Element {
  return (
    <div class="body">
      <h1>{t('shell.noScreen')}</h1>
      <p>
        <a href={BASE}>{t('nav.overview')}</a>
      </p>
    </div>
  )
}

/** The page when the service cannot be reached at its start. */
export function StartFailure({ error }: { readonly error: unknown }): JSX.Element {
  return (
    <main class="body">
      <FailureNote failure={asFailure(error)} retry={() => location.reload()} />
    </main>
  )
}
