export const FLOORS = ['high', 'low'] as const;
export const VIEWS = ['sea', 'garden', 'city', 'courtyard'] as const;
export const BEDS = ['king', 'queen', 'twin', 'single'] as const;
export const FEATURES = [
  'bathtub',
  'balcony',
  'quiet side',
  'desk',
  'fireplace',
  'kitchenette',
  'sofa',
  'step-free access',
] as const;

export type View = (typeof VIEWS)[number];
export type Bed = (typeof BEDS)[number];
export type Feature = (typeof FEATURES)[number];

/** A room of the hotel. The price is in EUR per night. */
export interface Room {
  number: string;
  floor: number;
  view: View;
  bed: Bed;
  price: number;
  features: readonly Feature[];
}

/** All rooms, ordered by floor. */
export const rooms: readonly Room[] = [
  room('001', 0, 'garden', 'queen', 105, 'step-free access', 'desk'),
  room('002', 0, 'courtyard', 'single', 85, 'step-free access', 'quiet side'),
  room('101', 1, 'city', 'queen', 95, 'desk'),
  room('102', 1, 'courtyard', 'twin', 90, 'quiet side'),
  room('201', 2, 'garden', 'king', 130, 'balcony', 'bathtub'),
  room('202', 2, 'courtyard', 'queen', 110, 'quiet side', 'desk', 'bathtub'),
  room('301', 3, 'sea', 'queen', 150, 'balcony'),
  room('302', 3, 'city', 'twin', 120, 'desk', 'kitchenette'),
  room('401', 4, 'sea', 'king', 185, 'balcony', 'sofa'),
  room('402', 4, 'garden', 'queen', 145, 'quiet side', 'desk'),
  room('501', 5, 'sea', 'king', 220, 'bathtub', 'balcony', 'desk'),
  room('502', 5, 'city', 'queen', 160, 'bathtub', 'quiet side', 'desk'),
  room('601', 6, 'sea', 'king', 340, 'bathtub', 'balcony', 'fireplace', 'sofa', 'quiet side', 'kitchenette'),
  room('602', 6, 'garden', 'twin', 175, 'balcony', 'quiet side', 'desk'),
];

function room(number: string, floor: number, view: View, bed: Bed, price: number, ...features: Feature[]): Room {
  return { number, floor, view, bed, price, features };
}
