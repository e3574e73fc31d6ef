import { Modal, type ModalProps } from '@mantine/core';
import { useReturnedFocusAtEnd } from './returnedFocus.ts';

/** A dialog that is in the page only while it is open. Mantine gives the focus back only from one that stays. */
export function Dialog(props: Omit<ModalProps, 'opened'>) {
  useReturnedFocusAtEnd();
  return <Modal opened {...props} />;
}
