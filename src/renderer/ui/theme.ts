import {
  Button,
  CloseButton,
  type CloseButtonProps,
  createTheme,
  Input,
  type MantineColorsTuple,
  Menu,
  Modal,
  SegmentedControl,
} from '@mantine/core';

/** Greens around `#2E7B66`: the product's one accent. */
const pine: MantineColorsTuple = [
  '#ecf7f3',
  '#dcebe5',
  '#b7d6cb',
  '#8fc1b0',
  '#6bb195',
  '#4f9d84',
  '#3b8c73',
  '#2e7b66',
  '#246653',
  '#175241',
];

/** Dark surfaces around `#1B1C1E`. */
const dark: MantineColorsTuple = [
  '#d6d7d9',
  '#b3b5b9',
  '#8f9297',
  '#6b6e74',
  '#44474c',
  '#34363a',
  '#292b2e',
  '#1b1c1e',
  '#161719',
  '#101112',
];

const theme = createTheme({
  primaryColor: 'pine',
  primaryShade: 7,
  colors: { pine, dark },
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "DejaVu Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace',
  defaultRadius: 6,
  fontSizes: { xs: '12px', sm: '13px', md: '14px', lg: '16px', xl: '20px' },
  lineHeights: { xs: '16px', sm: '18px', md: '20px', lg: '24px', xl: '28px' },
  autoContrast: true,
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    SegmentedControl: SegmentedControl.extend({
      defaultProps: { size: 'xs', withItemsBorders: false },
      styles: { label: { fontWeight: 400, color: 'var(--mantine-color-text)' } },
    }),
    // Without a transition the dialog takes the focus at once, so no key goes to the element behind it.
    Modal: Modal.extend({ defaultProps: { transitionProps: { duration: 0 } } }),
    Menu: Menu.extend({ defaultProps: { transitionProps: { duration: 0 } } }),
    Button: Button.extend({ styles: { label: { fontWeight: 500 } } }),
    InputWrapper: Input.Wrapper.extend({
      styles: {
        label: { fontWeight: 500, fontSize: 14 },
        description: { color: 'var(--muted)', fontSize: 12, lineHeight: '16px' },
      },
    }),
  },
});

/** Mantine's types lack the ARIA attributes, which every element may have. */
const named = (label: string): Partial<CloseButtonProps> =>
  ({ 'aria-label': label }) as Partial<CloseButtonProps>;

/** The theme, with the close buttons named in the language of the window. */
export const themeIn = (close: string) =>
  createTheme({
    ...theme,
    components: {
      ...theme.components,
      CloseButton: CloseButton.extend({ defaultProps: named(close) }),
    },
  });
