//! The few operations on matrices that the factorisation needs, each in one fixed order.

/// Numbers row after row.
#[derive(Debug, Clone, PartialEq)]
pub struct Dense {
    /// Numbers in a row.
    pub columns: usize,
    /// All numbers.
    pub values: Vec<f32>,
}

impl Dense {
    /// Zeros.
    pub fn zero(rows: usize, columns: usize) -> Self {
        Self { columns, values: vec![0.0; rows * columns] }
    }

    /// Its rows in order.
    pub fn rows(&self) -> std::slice::ChunksExact<'_, f32> {
        self.values.chunks_exact(self.columns.max(1))
    }

    /// A row that is there.
    pub fn row(&self, row: usize) -> &[f32] {
        &self.values[row * self.columns..(row + 1) * self.columns]
    }

    /// A row that is there, to be changed.
    pub fn row_mut(&mut self, row: usize) -> &mut [f32] {
        &mut self.values[row * self.columns..(row + 1) * self.columns]
    }

    /// The products of all pairs of columns.
    pub(crate) fn gram(&self) -> Vec<f64> {
        let size = self.columns;
        let mut sums = vec![0.0; size * size];
        for row in self.rows() {
            for (at, &left) in row.iter().enumerate() {
                for (sum, &right) in sums[at * size..=at * size + at].iter_mut().zip(row) {
                    *sum += f64::from(left) * f64::from(right);
                }
            }
        }
        for at in 0..size {
            for below in 0..at {
                sums[below * size + at] = sums[at * size + below];
            }
        }
        sums
    }

    /// This times a small matrix of `columns` columns.
    pub(crate) fn turned(&self, by: &[f64], columns: usize) -> Self {
        let mut turned = Self { columns, values: Vec::with_capacity(self.values.len()) };
        let mut sums = vec![0.0; columns];
        for row in self.rows() {
            sums.fill(0.0);
            for (&value, by) in row.iter().zip(by.chunks_exact(columns.max(1))) {
                for (sum, by) in sums.iter_mut().zip(by) {
                    *sum += f64::from(value) * by;
                }
            }
            turned.values.extend(sums.iter().map(|&sum| sum as f32));
        }
        turned
    }
}

/// What is not zero of each row.
#[derive(Debug, Clone)]
pub struct Sparse {
    /// Numbers in a row, zeros included.
    pub columns: usize,
    ends: Vec<usize>,
    /// Column and value, columns ascending.
    entries: Vec<(u32, f32)>,
}

impl Sparse {
    /// From (row, column, value), columns ascending.
    pub fn new<I: Iterator<Item = (usize, usize, f32)>>(
        rows: usize,
        columns: usize,
        each: impl Fn() -> I,
    ) -> Self {
        let mut ends = vec![0; rows];
        each().for_each(|(row, ..)| ends[row] += 1);
        let mut end = 0;
        let mut next: Vec<usize> =
            ends.iter().scan(0, |sum, &count| Some(std::mem::replace(sum, *sum + count))).collect();
        for at in &mut ends {
            end += *at;
            *at = end;
        }
        let mut entries = vec![(0, 0.0); end];
        for (row, column, value) in each() {
            entries[next[row]] = (column as u32, value);
            next[row] += 1;
        }
        Self { columns, ends, entries }
    }

    /// Column and value of everything.
    pub fn entries(&self) -> impl Iterator<Item = (usize, f32)> + '_ {
        self.entries.iter().map(|&(column, value)| (column as usize, value))
    }

    /// Column and value of what is not zero in a row that is there.
    pub fn row(&self, row: usize) -> &[(u32, f32)] {
        let start = row.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.entries[start..self.ends[row]]
    }

    /// How many rows there are.
    pub fn row_count(&self) -> usize {
        self.ends.len()
    }

    /// Every value replaced, by its column.
    pub fn map(mut self, with: impl Fn(usize, f32) -> f32) -> Self {
        self.entries.iter_mut().for_each(|(column, value)| *value = with(*column as usize, *value));
        self
    }

    /// Every row divided by its length; rows of zeros stay.
    pub fn with_rows_of_length_one(mut self) -> Self {
        let mut start = 0;
        for &end in &self.ends {
            let row = &mut self.entries[start..end];
            let length = row.iter().map(|&(_, value)| value * value).sum::<f32>().sqrt();
            if length > 0.0 {
                row.iter_mut().for_each(|(_, value)| *value /= length);
            }
            start = end;
        }
        self
    }

    /// At most so many of the rows, evenly taken.
    pub fn sampled(&self, most: usize) -> std::borrow::Cow<'_, Self> {
        if self.row_count() <= most {
            return std::borrow::Cow::Borrowed(self);
        }
        let mut sample = Self { columns: self.columns, ends: Vec::with_capacity(most), entries: Vec::new() };
        for number in 0..most {
            sample.entries.extend_from_slice(self.row(number * self.row_count() / most));
            sample.ends.push(sample.entries.len());
        }
        std::borrow::Cow::Owned(sample)
    }

    /// This times a matrix with as many rows as this has columns.
    pub fn times(&self, by: &Dense) -> Dense {
        let mut product = Dense::zero(self.row_count(), by.columns);
        for row in 0..self.row_count() {
            let sums = product.row_mut(row);
            for &(column, value) in self.row(row) {
                sums.iter_mut().zip(by.row(column as usize)).for_each(|(sum, by)| *sum += value * by);
            }
        }
        product
    }

    /// This, rows and columns exchanged, times a matrix with as many rows as this.
    pub fn turned_times(&self, by: &Dense) -> Dense {
        let mut product = Dense::zero(self.columns, by.columns);
        for row in 0..self.row_count() {
            let by = by.row(row);
            for &(column, value) in self.row(row) {
                product.row_mut(column as usize).iter_mut().zip(by).for_each(|(sum, by)| *sum += value * by);
            }
        }
        product
    }
}
