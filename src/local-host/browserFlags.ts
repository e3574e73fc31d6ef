/**
 * Flags that keep a Chromium to this computer. The wall holds alone; what stands behind it keeps Chromium from asking at all
 * what it may not have. test/e2e/outbound.spec.ts counts what leaves.
 */

/** Nothing but our own address is reachable. A link on the web opens in the user's own browser (`openOutside`). */
const WALL = [
  // Every other host, named or numbered, fails to resolve, and no look-up is made for it.
  '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
  // A proxy of the system's would be a way round that rule; looking for one is itself a look-up of a name.
  '--no-proxy-server',
  // WebRTC sends datagrams to addresses that are not resolved first. QUIC too is sent in datagrams.
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--disable-quic',
];

/** What Chromium asks of its maker by itself. */
const UNASKED = [
  // Welcome pages, the choice of a default browser or of a search engine.
  '--no-first-run',
  '--no-default-browser-check',
  '--disable-search-engine-choice-screen',
  // Safe Browsing's lists, experiments, messages to extensions, measurements, the address bar's suggestions.
  '--disable-background-networking',
  // Parts that update themselves: lists of certificates and scripts, decoders, language models.
  '--disable-component-update',
  // The account and what hangs on it.
  '--disable-sync',
  '--allow-browser-signin=false',
  // Extensions update themselves and could read the window; Debian installs some for every profile.
  '--disable-extensions',
  '--disable-component-extensions-with-background-pages',
  '--disable-default-apps',
  // Reports: of failed connections, crashes, clicks, and use.
  '--disable-domain-reliability',
  '--disable-breakpad',
  '--no-pings',
  '--metrics-recording-only',
];

/** Parts of Chromium that have no flag of their own. */
const FEATURES = [
  // Asks the maker for the time.
  'NetworkTimeServiceQuerying',
  // Sends what a form looks like, such as the composer, to learn what could be filled in.
  'AutofillServerCommunication',
  // Recognises the language of a page and offers to send it for translation.
  'Translate',
  // Fetches hints about pages, and models that run here.
  'OptimizationHints',
  'OptimizationTargetPrediction',
  'OptimizationGuideModelExecution',
  // Looks for televisions on the local network.
  'MediaRouter',
  'DialMediaRouteProvider',
  'CastMediaRouteProvider',
];

/** Flags for a window of a Chromium-based browser that talks to 127.0.0.1 only. */
export const browserFlags: readonly string[] = [
  ...WALL,
  ...UNASKED,
  `--disable-features=${FEATURES.join(',')}`,
];
