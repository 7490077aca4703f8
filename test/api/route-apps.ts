import { Hono } from 'hono'

const ROOT = new URL('../..', import.meta.url).pathname

/** All applications that the modules of routes export, with the handlers of their routes. */
export async function routeApps(): Promise<readonly Hono[]> {
  const modules = await Promise.all(
    ['src/**/routes.ts', 'src/**/routes/*.ts']
      .flatMap((glob) => [...new Bun.Glob(glob).scanSync({ cwd: ROOT })])
      .filter((path) => !path.endsWith('.test.ts'))
      .map((path) => import(`${ROOT}${path}`) as Promise<object>),
  )
  return modules.flatMap((one) =>
    Object.values(one).filter((exported): exported is Hono => exported instanceof Hono),
  )
}
