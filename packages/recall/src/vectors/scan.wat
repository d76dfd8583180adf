;; The scan of vectors. scripts/assemble-scan.mjs assembles this file and writes it to scan-module.ts.
;; Rows follow each other without gaps. Their length is a multiple of 16 numbers, padded with zeros.
(module
  (import "scan" "memory" (memory 1))

  ;; Writes the dot product of a query with each of `count` float32 rows to `out` as float32, using 4 × 4 partial sums.
  (func (export "scanFloats") (param $query i32) (param $rows i32) (param $count i32) (param $rowBytes i32) (param $out i32)
    (local $at i32) (local $rowEnd i32) (local $q i32)
    (local $a v128) (local $b v128) (local $c v128) (local $d v128)
    (local.set $at (local.get $rows))
    (block $done
      (loop $row
        (br_if $done (i32.eqz (local.get $count)))
        (local.set $a (v128.const i32x4 0 0 0 0))
        (local.set $b (local.get $a))
        (local.set $c (local.get $a))
        (local.set $d (local.get $a))
        (local.set $q (local.get $query))
        (local.set $rowEnd (i32.add (local.get $at) (local.get $rowBytes)))
        (loop $step
          (local.set $a (f32x4.add (local.get $a) (f32x4.mul (v128.load (local.get $q)) (v128.load (local.get $at)))))
          (local.set $b (f32x4.add (local.get $b) (f32x4.mul (v128.load offset=16 (local.get $q)) (v128.load offset=16 (local.get $at)))))
          (local.set $c (f32x4.add (local.get $c) (f32x4.mul (v128.load offset=32 (local.get $q)) (v128.load offset=32 (local.get $at)))))
          (local.set $d (f32x4.add (local.get $d) (f32x4.mul (v128.load offset=48 (local.get $q)) (v128.load offset=48 (local.get $at)))))
          (local.set $q (i32.add (local.get $q) (i32.const 64)))
          (local.set $at (i32.add (local.get $at) (i32.const 64)))
          (br_if $step (i32.lt_u (local.get $at) (local.get $rowEnd))))
        (local.set $a (f32x4.add (f32x4.add (local.get $a) (local.get $b)) (f32x4.add (local.get $c) (local.get $d))))
        (f32.store (local.get $out)
          (f32.add
            (f32.add (f32x4.extract_lane 0 (local.get $a)) (f32x4.extract_lane 1 (local.get $a)))
            (f32.add (f32x4.extract_lane 2 (local.get $a)) (f32x4.extract_lane 3 (local.get $a)))))
        (local.set $out (i32.add (local.get $out) (i32.const 4)))
        (local.set $count (i32.sub (local.get $count) (i32.const 1)))
        (br $row))))

  ;; The same for int8 rows and an int16 query with values in the range of int8: exact integers, each times the scale of its row.
  (func (export "scanBytes") (param $query i32) (param $rows i32) (param $count i32) (param $rowBytes i32) (param $scales i32) (param $out i32)
    (local $at i32) (local $rowEnd i32) (local $q i32)
    (local $a v128) (local $b v128)
    (local.set $at (local.get $rows))
    (block $done
      (loop $row
        (br_if $done (i32.eqz (local.get $count)))
        (local.set $a (v128.const i32x4 0 0 0 0))
        (local.set $b (local.get $a))
        (local.set $q (local.get $query))
        (local.set $rowEnd (i32.add (local.get $at) (local.get $rowBytes)))
        (loop $step
          (local.set $a (i32x4.add (local.get $a)
            (i32x4.dot_i16x8_s (v128.load (local.get $q)) (v128.load8x8_s (local.get $at)))))
          (local.set $b (i32x4.add (local.get $b)
            (i32x4.dot_i16x8_s (v128.load offset=16 (local.get $q)) (v128.load8x8_s offset=8 (local.get $at)))))
          (local.set $q (i32.add (local.get $q) (i32.const 32)))
          (local.set $at (i32.add (local.get $at) (i32.const 16)))
          (br_if $step (i32.lt_u (local.get $at) (local.get $rowEnd))))
        (local.set $a (i32x4.add (local.get $a) (local.get $b)))
        (f32.store (local.get $out)
          (f32.mul
            (f32.convert_i32_s
              (i32.add
                (i32.add (i32x4.extract_lane 0 (local.get $a)) (i32x4.extract_lane 1 (local.get $a)))
                (i32.add (i32x4.extract_lane 2 (local.get $a)) (i32x4.extract_lane 3 (local.get $a)))))
            (f32.load (local.get $scales))))
        (local.set $scales (i32.add (local.get $scales) (i32.const 4)))
        (local.set $out (i32.add (local.get $out) (i32.const 4)))
        (local.set $count (i32.sub (local.get $count) (i32.const 1)))
        (br $row))))

  ;; Reads `bytes` (a multiple of 64) without using them. Benchmarks compare scans with it, because no scan can be faster.
  (func (export "readAll") (param $at i32) (param $bytes i32) (result i32)
    (local $end i32) (local $a v128) (local $b v128) (local $c v128) (local $d v128)
    (local.set $end (i32.add (local.get $at) (local.get $bytes)))
    (block $done
      (loop $step
        (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
        (local.set $a (v128.xor (local.get $a) (v128.load (local.get $at))))
        (local.set $b (v128.xor (local.get $b) (v128.load offset=16 (local.get $at))))
        (local.set $c (v128.xor (local.get $c) (v128.load offset=32 (local.get $at))))
        (local.set $d (v128.xor (local.get $d) (v128.load offset=48 (local.get $at))))
        (local.set $at (i32.add (local.get $at) (i32.const 64)))
        (br $step)))
    (i32x4.extract_lane 0 (v128.xor (v128.xor (local.get $a) (local.get $b)) (v128.xor (local.get $c) (local.get $d))))))
