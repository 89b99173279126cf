//! Putting the reply to a batch together.

/// The reply to one request of a batch.
#[derive(Clone, Copy, Debug)]
pub struct PartReply<'a> {
    /// The status, as a number and in words: `204`, `No Content`.
    pub status: (u16, &'a str),
    /// Names and values.
    pub headers: &'a [(&'a str, &'a str)],
    /// The body, perhaps empty.
    pub body: &'a [u8],
}

/// Writes the body of a reply to a batch.
#[derive(Debug)]
pub struct BatchReply {
    out: Vec<u8>,
    /// What each part begins with.
    delimiter: String,
    /// What the reply ends with.
    end: String,
}

impl BatchReply {
    /// Begins the reply to writes. The ids, such as UUIDs, make boundaries that occur in no part.
    pub fn to_changeset(batch_id: &str, changeset_id: &str) -> Self {
        let head = format!(
            "--batchresponse_{batch_id}\r\nContent-Type: multipart/mixed; boundary=changesetresponse_{changeset_id}\r\n\r\n"
        );
        BatchReply {
            out: head.into_bytes(),
            delimiter: format!("--changesetresponse_{changeset_id}\r\n"),
            end: format!("--changesetresponse_{changeset_id}--\r\n--batchresponse_{batch_id}--\r\n"),
        }
    }

    /// Begins the reply to a read.
    pub fn to_query(batch_id: &str) -> Self {
        BatchReply {
            out: Vec::new(),
            delimiter: format!("--batchresponse_{batch_id}\r\n"),
            end: format!("--batchresponse_{batch_id}--\r\n"),
        }
    }

    /// The Content-Type of the reply.
    pub fn content_type(batch_id: &str) -> String {
        format!("multipart/mixed; boundary=batchresponse_{batch_id}")
    }

    /// Appends the reply to one request. A batch that failed has one only: that of the request that failed.
    pub fn push(&mut self, part: &PartReply<'_>) {
        let (code, reason) = part.status;
        let head = format!(
            "{}Content-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\nHTTP/1.1 {code} {reason}\r\n",
            self.delimiter
        );
        self.out.extend_from_slice(head.as_bytes());
        for (name, value) in part.headers {
            self.out.extend_from_slice(name.as_bytes());
            self.out.extend_from_slice(b": ");
            // A value that a client gave must not end its line.
            self.out.extend(value.bytes().filter(|byte| !byte.is_ascii_control()));
            self.out.extend_from_slice(b"\r\n");
        }
        self.out.extend_from_slice(b"\r\n");
        self.out.extend_from_slice(part.body);
        self.out.extend_from_slice(b"\r\n");
    }

    /// The body.
    pub fn finish(mut self) -> Vec<u8> {
        self.out.extend_from_slice(self.end.as_bytes());
        self.out
    }
}

/// The message of the request that made a batch fail: clients read its place (from 0) in front of the colon.
pub fn failure_message(index: usize, message: &str) -> String {
    format!("{index}:{message}")
}
